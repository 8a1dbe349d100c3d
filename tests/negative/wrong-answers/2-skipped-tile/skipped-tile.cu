// The last tile of C is never computed.
#include "../tile_kernel.cuh"

namespace wrong_answers {

const rungs::Rung skipped_tile_rung = matmul::problem().rung({
    .sizes = matmul::whole_tiles(tile, tile, tile),
    .launch = launch<Defect::skipped_tile>,
});

}  // namespace wrong_answers
