// One element is NaN, which compares as neither above nor below.
#include "../tile_kernel.cuh"

namespace wrong_answers {

const rungs::Rung nan_output_rung = matmul::problem().rung({
    .sizes = matmul::whole_tiles(tile, tile, tile),
    .launch = launch<Defect::nan_output>,
});

}  // namespace wrong_answers
