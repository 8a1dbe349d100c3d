"""The buffer sets of one open shape, filled from files of raw little-endian float32."""

import ctypes
import math
import os
from pathlib import Path

from peers import tools
from peers.variants import Tensors

BYTES = 4  # of a float32


class FileError(Exception):
    """A file of inputs is not what the shape needs; the text is one sentence."""


def extents_of(names: tuple[str, ...], sizes: dict[str, int]) -> tuple[int, ...]:
    """Return a tensor's extents; a scalar is a tensor of one element."""
    return tuple(sizes[name] for name in names) or (1,)


def footprint(ladder, sizes: dict[str, int]) -> int:
    """Return the bytes of one buffer set."""
    tensors = [*ladder.INPUTS.values(), *ladder.OUTPUTS.values()]
    return sum(BYTES * math.prod(extents_of(names, sizes)) for names in tensors)


def cold_sets(set_bytes: int, cache_bytes: int) -> int:
    """Return how many sets are four times the L2 cache, and at least 2: as the program does."""
    return max(2, -(-4 * cache_bytes // set_bytes))


def allocate(ladder, sizes: dict[str, int], folder: Path, count: int) -> list[Tensors]:
    """Return ``count`` buffer sets on the GPU with the inputs of ``folder``, ready to be used.

    Raises FileError.
    """
    torch = tools.torch.module
    inputs = {
        name: _read(folder / f"{name}.f32", extents_of(names, sizes))
        for name, names in ladder.INPUTS.items()
    }
    sets = []
    for _ in range(count):
        tensors = {name: tensor.to("cuda") for name, tensor in inputs.items()}
        for name, names in ladder.OUTPUTS.items():
            extents = extents_of(names, sizes)
            tensors[name] = torch.empty(extents, dtype=torch.float32, device="cuda")
        sets.append(tensors)
    torch.cuda.synchronize()  # the copies are in another stream than the launches
    return sets


def _read(path: Path, extents: tuple[int, ...]):
    """Return a file as a tensor in the host's memory."""
    torch = tools.torch.module
    needed = BYTES * math.prod(extents)
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno()).st_size
            if found != needed:
                raise FileError(f"{path.name} has {found} bytes, the shape needs {needed}")
            tensor = torch.empty(extents, dtype=torch.float32)
            file.readinto((ctypes.c_char * needed).from_address(tensor.data_ptr()))
    except OSError as error:
        raise FileError(f"{path.name} cannot be read: {error.strerror}") from None
    return tensor


def poison(tensor) -> None:
    """Fill a tensor with the NaN that is in no answer: every byte 0xFF."""
    tensor.view(tools.torch.module.int32).fill_(-1)


def write(path: Path, tensor) -> None:
    """Write a tensor of the GPU as raw float32. Raises FileError."""
    host = tensor.to("cpu").contiguous()
    content = ctypes.string_at(host.data_ptr(), BYTES * host.numel())
    try:
        path.write_bytes(content)
    except OSError as error:
        raise FileError(f"{path.name} cannot be written: {error.strerror}") from None
