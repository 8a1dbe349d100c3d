// One element is infinite.
#include "../tile_kernel.cuh"

namespace wrong_answers {

const rungs::Rung infinite_output_rung = matmul::problem().rung({
    .sizes = matmul::whole_tiles(tile, tile, tile),
    .launch = launch<Defect::infinite_output>,
});

}  // namespace wrong_answers
