// C is right, but an input is not what it was.
#include "../../wrong-answers/tile_kernel.cuh"

namespace wrong_answers {

const rungs::Rung changed_input_rung = matmul::problem().rung({
    .sizes = matmul::whole_tiles(tile, tile, tile),
    .launch = launch<Defect::changed_input>,
});

}  // namespace wrong_answers
