// The running sum is kept in half precision.
#include "../tile_kernel.cuh"

namespace wrong_answers {

const rungs::Rung half_sums_rung = matmul::problem().rung({
    .sizes = matmul::whole_tiles(tile, tile, tile),
    .launch = launch<Defect::half_sums>,
});

}  // namespace wrong_answers
