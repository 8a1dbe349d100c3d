"""PyTorch and Triton at this ladder's problem, layer normalisation of rows in FP32.

Loaded by the peers' worker, which has ``common`` on its path.
"""

from dataclasses import dataclass

from peers import tools
from peers.choice import best_of
from peers.variants import Prepared, Refused, Variant

SIZES = ("rows", "width")
INPUTS = {"X": ("rows", "width"), "gamma": ("width",), "beta": ("width",)}
OUTPUTS = {"Y": ("rows", "width")}

EPSILON = 1e-5  # the problem header's

torch = tools.torch.module
triton, tl = tools.triton.module, tools.triton_language.module


def layer_norm(x, gamma, beta):
    """Return PyTorch's own layer normalisation of the rows of x, in a tensor of its own."""
    return torch.nn.functional.layer_norm(x, x.shape[-1:], gamma, beta, EPSILON)


def prepare_torch(_sizes: dict[str, int], tensors: dict) -> Prepared:
    """PyTorch's own layer_norm, in its own output.

    It cannot write into a tensor that is there without a copy, which would be timed as well: the
    tensor that it made becomes the buffer set's output.
    """

    def launch(x: dict) -> None:
        x["Y"] = layer_norm(x["X"], x["gamma"], x["beta"])

    launch(tensors)
    return Prepared(launch, "each launch allocates its output from PyTorch's cache")


def prepare_compiled(_sizes: dict[str, int], tensors: dict) -> Prepared:
    """layer_norm by torch.compile, into a tensor that is there."""

    def write(x, gamma, beta, y):
        y.copy_(layer_norm(x, gamma, beta))

    compiled = torch.compile(write, fullgraph=True, dynamic=False)

    def launch(x: dict) -> None:
        with torch.no_grad():
            compiled(x["X"], x["gamma"], x["beta"], x["Y"])

    launch(tensors)
    return Prepared(launch, "torch.compile, default mode, fixed shape")


@dataclass(frozen=True)
class Configuration:
    """How Triton is launched: the warps of a program, which takes one row."""

    warps: int

    def text(self) -> str:
        """Return it as a record notes it."""
        return f"{self.warps} warp{'s' if self.warps > 1 else ''} a row"


# The stated set. The block is the power of two that holds a row.
CONFIGURATIONS = tuple(Configuration(warps) for warps in (1, 2, 4, 8))
MOST_COLUMNS = 16384  # of a block: more would not fit the registers of eight warps


if triton is not None:

    @triton.jit
    def triton_layer_norm(
        x,
        gamma,
        beta,
        y,
        width,
        epsilon,
        BLOCK: tl.constexpr,  # noqa: N803
    ):
        """One row in registers: the mean, then the mean square distance from it."""
        cols = tl.arange(0, BLOCK)
        mask = cols < width
        row = tl.program_id(0) * width
        values = tl.load(x + row + cols, mask=mask, other=0.0)
        mean = tl.sum(values, axis=0) / width
        distances = tl.where(mask, values - mean, 0.0)
        variance = tl.sum(distances * distances, axis=0) / width
        normalised = distances * (1 / tl.sqrt(variance + epsilon))
        scale = tl.load(gamma + cols, mask=mask)
        shift = tl.load(beta + cols, mask=mask)
        tl.store(y + row + cols, normalised * scale + shift, mask=mask)


def prepare_triton(sizes: dict[str, int], tensors: dict) -> Prepared:
    """A Triton program a row, by the best of CONFIGURATIONS, timed here."""
    if sizes["width"] > MOST_COLUMNS:
        raise Refused(f"width = {sizes['width']} is more than a block of {MOST_COLUMNS} holds")
    block = triton.next_power_of_2(sizes["width"])

    def launch_by(one: Configuration, x: dict) -> None:
        triton_layer_norm[(sizes["rows"],)](
            *(x["X"], x["gamma"], x["beta"], x["Y"], sizes["width"], EPSILON),
            BLOCK=block,
            num_warps=one.warps,
        )

    choice = best_of(CONFIGURATIONS, lambda one: launch_by(one, tensors))
    note = f"block of {block}, {choice.best.text()}, the best of {choice.ran} configurations"
    if choice.failed:
        note += f" ({choice.failed} more do not run)"
    return Prepared(lambda x: launch_by(choice.best, x), note)


VARIANTS = [
    Variant("torch", prepare_torch, missing=tools.torch.missing),
    Variant("torch-compiled", prepare_compiled, missing=tools.triton.missing),
    Variant("triton", prepare_triton, missing=tools.triton.missing),
]
