"""PyTorch and Triton at this ladder's problem, the sum of the elements from one on.

Loaded by the peers' worker, which has ``common`` on its path.
"""

from dataclasses import dataclass

from peers import tools
from peers.choice import best_of
from peers.variants import Prepared, Refused, Variant

SIZES = ("count", "first")
LEAST = (0, 0)
INPUTS = {"X": ("count",)}
OUTPUTS = {"sum": ()}

torch = tools.torch.module
triton, tl = tools.triton.module, tools.triton_language.module


def prepare_torch(sizes: dict[str, int], tensors: dict) -> Prepared:
    """PyTorch's own sum, into a tensor that is there."""
    first = sizes["first"]

    def launch(x: dict) -> None:
        torch.sum(x["X"][first:], dim=0, out=x["sum"])

    launch(tensors)
    return Prepared(launch)


def prepare_compiled(sizes: dict[str, int], tensors: dict) -> Prepared:
    """The sum by torch.compile, into a tensor that is there."""
    first = sizes["first"]

    def write(x, total):
        total.copy_(torch.sum(x))

    compiled = torch.compile(write, fullgraph=True, dynamic=False)

    def launch(x: dict) -> None:
        with torch.no_grad():
            compiled(x["X"][first:], x["sum"])

    launch(tensors)
    return Prepared(launch, "torch.compile, default mode, fixed shape")


@dataclass(frozen=True)
class Configuration:
    """How Triton is launched: the elements of a step, the warps, the programs, who finishes."""

    block: int
    warps: int
    programs: int  # for each multiprocessor
    one_pass: bool  # every program adds its sum to the output, else a second kernel does

    def text(self) -> str:
        """Return it as a record notes it."""
        finish = "atomic additions" if self.one_pass else "a second kernel"
        return (
            f"{self.block} elements a step, {self.warps} warps, "
            f"{self.programs} programs a multiprocessor, {finish}"
        )


# The stated set. A thread has the elements of a step over the threads on its way: 8 to 64.
CONFIGURATIONS = tuple(
    Configuration(block, warps, programs, one_pass)
    for block, warps, programs in (
        (2048, 8, 8),
        (4096, 8, 4),
        (4096, 8, 8),
        (8192, 8, 4),
        (8192, 16, 4),
        (16384, 32, 2),
    )
    for one_pass in (False, True)
)
FINISH_WARPS = 8


if triton is not None:

    @triton.jit
    def triton_pass(
        x,
        partials,
        total,
        count,
        BLOCK: tl.constexpr,  # noqa: N803
        ONE_PASS: tl.constexpr,  # noqa: N803
    ):
        """The sum of every block of elements that is a whole grid behind the last."""
        cols = tl.arange(0, BLOCK)
        sums = tl.zeros((BLOCK,), dtype=tl.float32)
        for start in range(tl.program_id(0) * BLOCK, count, tl.num_programs(0) * BLOCK):
            at = start + cols
            sums += tl.load(x + at, mask=at < count, other=0.0, eviction_policy="evict_first")
        value = tl.sum(sums, axis=0)
        if ONE_PASS:
            tl.atomic_add(total, value)
        else:
            tl.store(partials + tl.program_id(0), value)

    @triton.jit
    def triton_finish(partials, total, programs, BLOCK: tl.constexpr):  # noqa: N803
        """The sum of the programs' sums, in one program."""
        at = tl.arange(0, BLOCK)
        tl.store(total, tl.sum(tl.load(partials + at, mask=at < programs, other=0.0), axis=0))


def prepare_triton(sizes: dict[str, int], tensors: dict) -> Prepared:
    """Triton's sum by the best of CONFIGURATIONS, timed here."""
    first = sizes["first"]
    count = max(sizes["count"] - first, 0)
    if count == 0:
        raise Refused("there is no element to sum")
    device = tensors["X"].device
    multiprocessors = torch.cuda.get_device_properties(device).multi_processor_count
    most = multiprocessors * max(one.programs for one in CONFIGURATIONS)
    partials = torch.empty(most, dtype=torch.float32, device=device)

    def launch_by(one: Configuration, x: dict) -> None:
        programs = min(multiprocessors * one.programs, triton.cdiv(count, one.block))
        if one.one_pass:
            x["sum"].zero_()  # a launch of its own, and part of the time
        triton_pass[(programs,)](
            *(x["X"][first:], partials, x["sum"], count),
            BLOCK=one.block,
            ONE_PASS=one.one_pass,
            num_warps=one.warps,
        )
        if not one.one_pass:
            triton_finish[(1,)](
                *(partials, x["sum"], programs),
                BLOCK=triton.next_power_of_2(most),
                num_warps=FINISH_WARPS,
            )

    choice = best_of(CONFIGURATIONS, lambda one: launch_by(one, tensors))
    note = f"{choice.best.text()}, the best of {choice.ran} configurations"
    if choice.failed:
        note += f" ({choice.failed} more do not run)"
    return Prepared(lambda x: launch_by(choice.best, x), note)


VARIANTS = [
    Variant("torch", prepare_torch, missing=tools.torch.missing),
    Variant("torch-compiled", prepare_compiled, missing=tools.triton.missing),
    Variant("triton", prepare_triton, missing=tools.triton.missing),
]
