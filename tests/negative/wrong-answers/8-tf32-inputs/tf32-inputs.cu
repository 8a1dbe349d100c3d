// Inputs are rounded to TF32, as a tensor core would take them.
#include "../tile_kernel.cuh"

namespace wrong_answers {

const rungs::Rung tf32_rung = matmul::problem().rung({
    .sizes = matmul::whole_tiles(tile, tile, tile),
    .launch = launch<Defect::tf32>,
});

}  // namespace wrong_answers
