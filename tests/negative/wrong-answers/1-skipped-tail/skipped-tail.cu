// The last K step is left out.
#include "../tile_kernel.cuh"

namespace wrong_answers {

const rungs::Rung skipped_tail_rung = matmul::problem().rung({
    .sizes = matmul::whole_tiles(tile, tile, tile),
    .launch = launch<Defect::skipped_tail>,
});

}  // namespace wrong_answers
