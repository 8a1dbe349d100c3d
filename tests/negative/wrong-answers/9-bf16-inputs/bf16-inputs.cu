// Inputs are rounded to BF16.
#include "../tile_kernel.cuh"

namespace wrong_answers {

const rungs::Rung bf16_rung = matmul::problem().rung({
    .sizes = matmul::whole_tiles(tile, tile, tile),
    .launch = launch<Defect::bf16>,
});

}  // namespace wrong_answers
