// One element of all has the wrong sign.
#include "../tile_kernel.cuh"

namespace wrong_answers {

const rungs::Rung one_wrong_rung = matmul::problem().rung({
    .sizes = matmul::whole_tiles(tile, tile, tile),
    .launch = launch<Defect::one_wrong>,
});

}  // namespace wrong_answers
