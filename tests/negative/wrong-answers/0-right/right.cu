// No defect: what refuses this refuses everything.
#include "../tile_kernel.cuh"

namespace wrong_answers {

const rungs::Rung none_rung = matmul::problem().rung({
    .sizes = matmul::whole_tiles(tile, tile, tile),
    .launch = launch<Defect::none>,
});

}  // namespace wrong_answers
