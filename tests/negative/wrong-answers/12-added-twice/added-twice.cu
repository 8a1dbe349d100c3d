// The product is added to what C held before.
#include "../tile_kernel.cuh"

namespace wrong_answers {

const rungs::Rung added_twice_rung = matmul::problem().rung({
    .sizes = matmul::whole_tiles(tile, tile, tile),
    .launch = launch<Defect::added_twice>,
});

}  // namespace wrong_answers
