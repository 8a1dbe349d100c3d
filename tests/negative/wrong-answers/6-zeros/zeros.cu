// C is all zeros.
#include "../tile_kernel.cuh"

namespace wrong_answers {

const rungs::Rung zeros_rung = matmul::problem().rung({
    .sizes = matmul::whole_tiles(tile, tile, tile),
    .launch = launch<Defect::zeros>,
});

}  // namespace wrong_answers
