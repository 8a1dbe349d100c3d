// C is stored column by column.
#include "../tile_kernel.cuh"

namespace wrong_answers {

const rungs::Rung transposed_rung = matmul::problem().rung({
    .sizes = matmul::whole_tiles(tile, tile, tile),
    .launch = launch<Defect::transposed>,
});

}  // namespace wrong_answers
