"""PyTorch and Triton at this ladder's problem, C = A B in FP32: no TF32 in either.

Loaded by the peers' worker, which has ``common`` on its path.
"""

from dataclasses import dataclass

from peers import tools
from peers.choice import best_of
from peers.variants import Prepared, Refused, Variant

SIZES = ("M", "N", "K")
INPUTS = {"A": ("M", "K"), "B": ("K", "N")}
OUTPUTS = {"C": ("M", "N")}

torch = tools.torch.module
triton, tl = tools.triton.module, tools.triton_language.module


def prepare_torch(_sizes: dict[str, int], tensors: dict) -> Prepared:
    """PyTorch's own product, which calls cuBLAS; FP32 without TF32, into a tensor that is there."""
    torch.set_float32_matmul_precision("highest")

    def launch(x: dict) -> None:
        torch.matmul(x["A"], x["B"], out=x["C"])

    launch(tensors)
    return Prepared(launch)


@dataclass(frozen=True)
class Configuration:
    """How Triton cuts the product up: a block of C, a step along K, warps, stages."""

    rows: int
    cols: int
    k_step: int
    warps: int
    stages: int

    def divides(self, sizes: dict[str, int]) -> bool:
        """Return whether the product is whole blocks and steps: the kernel has no masks."""
        blocks = {"M": self.rows, "N": self.cols, "K": self.k_step}
        return all(sizes[name] % block == 0 for name, block in blocks.items())

    def text(self) -> str:
        """Return it as a record notes it."""
        block = f"{self.rows}x{self.cols}x{self.k_step}"
        return f"{block}, {self.warps} warps, {self.stages} stages"


# The stated set: every block of 64 or 128 rows and columns, each in four ways.
CONFIGURATIONS = tuple(
    Configuration(rows, cols, *way)
    for rows in (64, 128)
    for cols in (64, 128)
    for way in ((32, 8, 3), (32, 4, 3), (16, 8, 4), (32, 4, 2))
)


if triton is not None:

    @triton.jit
    def triton_product(
        a,
        b,
        c,
        N,  # noqa: N803  # the problem's names
        K,  # noqa: N803
        ROWS: tl.constexpr,  # noqa: N803
        COLS: tl.constexpr,  # noqa: N803
        K_STEP: tl.constexpr,  # noqa: N803
    ):
        """One block of C, ROWS x COLS; "ieee" keeps the products in FP32."""
        rows = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
        cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
        steps = tl.arange(0, K_STEP)
        a_quads = a + rows[:, None] * K + steps[None, :]
        b_quads = b + steps[:, None] * N + cols[None, :]
        sums = tl.zeros((ROWS, COLS), dtype=tl.float32)
        for _ in range(0, K, K_STEP):
            sums = tl.dot(tl.load(a_quads), tl.load(b_quads), sums, input_precision="ieee")
            a_quads += K_STEP
            b_quads += K_STEP * N
        tl.store(c + rows[:, None] * N + cols[None, :], sums)


def prepare_triton(sizes: dict[str, int], tensors: dict) -> Prepared:
    """Triton's product by the best of CONFIGURATIONS, timed here."""
    fitting = [one for one in CONFIGURATIONS if one.divides(sizes)]
    if not fitting:
        text = ", ".join(f"{name} = {size}" for name, size in sizes.items())
        raise Refused(f"{text} is not whole blocks of 64 x 64 in steps of 16 along K")

    def launch_by(one: Configuration, x: dict) -> None:
        grid = (sizes["N"] // one.cols, sizes["M"] // one.rows)
        triton_product[grid](
            *(x["A"], x["B"], x["C"], sizes["N"], sizes["K"]),
            *(one.rows, one.cols, one.k_step),
            num_warps=one.warps,
            num_stages=one.stages,
        )

    choice = best_of(fitting, lambda one: launch_by(one, tensors))
    note = f"{choice.best.text()}, the best of {choice.ran} configurations"
    if choice.failed:
        note += f" ({choice.failed} more do not run)"
    return Prepared(lambda x: launch_by(choice.best, x), note)


VARIANTS = [
    Variant("torch", prepare_torch, missing=tools.torch.missing),
    Variant("triton", prepare_triton, missing=tools.triton.missing),
]
