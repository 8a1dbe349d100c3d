"""A torch for tests: tensors in the host's memory, streams and events that only note their use.

FAKE_TORCH: "no-gpu", "no-cuda", "broken"; anything else is a torch that works. Launches cost
made-up time on CLOCK and are worked off when a tensor is copied. Nothing may be launched outside a
stream of the worker's own. With FAKE_TORCH_SAYS each product says on stderr where it is put.
"""

import ctypes
import math
import os
import sys
import time
import types

_MODE = os.environ.get("FAKE_TORCH", "")
if _MODE == "broken":
    raise OSError("libtorch_cuda.so: cannot open shared object file\nand more lines")
if os.environ.get("FAKE_TORCH_IS_SLOW"):
    print("importing", file=sys.stderr, flush=True)
    time.sleep(30)

__version__ = "2.11.0+made-up"
version = types.SimpleNamespace(cuda=None if _MODE == "no-cuda" else "13.0")
float32, int32 = "float32", "int32"
CLOCK = [0.0]
_precision = ["none"]


class Tensor:
    def __init__(self, extents, device):
        self.shape, self.device = tuple(extents), device
        self.data = (ctypes.c_float * math.prod(self.shape))()
        self.factors = None

    def data_ptr(self):
        return ctypes.addressof(self.data)

    def numel(self):
        return len(self.data)

    def contiguous(self):
        return self

    def to(self, device):
        self.work_off()
        copy = Tensor(self.shape, device)
        ctypes.memmove(copy.data_ptr(), self.data_ptr(), 4 * self.numel())
        return copy

    def work_off(self):
        """Do the last product that was launched into this tensor."""
        if self.factors is None:
            return
        a, b = self.factors
        rows = [a.data[i : i + a.shape[1]] for i in range(0, len(a.data), a.shape[1])]
        columns = [b.data[i :: b.shape[1]] for i in range(b.shape[1])]
        self.data[:] = [
            sum(x * y for x, y in zip(r, c, strict=True)) for r in rows for c in columns
        ]
        self.factors = None

    def view(self, dtype):
        assert dtype == int32
        words = (ctypes.c_int32 * self.numel()).from_buffer(self.data)

        def fill(value):
            words[:] = [value] * len(words)

        return types.SimpleNamespace(fill_=fill)


def empty(extents, dtype, device="cpu"):
    assert dtype == float32
    return Tensor(extents, device)


def product(a, b, c, cost):
    """C = A B, as any launch of this stand-in does it."""
    if cuda.current is None:
        raise RuntimeError("launched into the default stream")
    CLOCK[0] += cost
    assert c.shape == (a.shape[0], b.shape[1])
    c.factors = (a, b)


def set_float32_matmul_precision(precision):
    _precision[0] = precision


def matmul(a, b, out):
    if _precision[0] != "highest":
        raise RuntimeError("TF32 is not off")
    if os.environ.get("FAKE_TORCH_FAILS_AFTER", "") == str(cuda.launches):
        raise RuntimeError("CUDA error: made up\nCompile with TORCH_USE_CUDA_DSA")
    cuda.launches += 1
    if os.environ.get("FAKE_TORCH_SAYS"):
        print("product", out.data_ptr(), file=sys.stderr)
    product(a, b, out, 1.0)


class _Cuda(types.ModuleType):
    current = None
    launches = 0

    def is_available(self):
        return _MODE not in ("no-gpu", "no-cuda")

    def synchronize(self):
        pass

    def empty_cache(self):
        pass

    def get_device_properties(self, device):
        return types.SimpleNamespace(L2_cache_size=50_000)

    def stream(self, stream):
        return _Using(stream)

    class Stream:
        cuda_stream = 0x5EED

        def synchronize(self):
            pass

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            self.at = CLOCK[0]

        def synchronize(self):
            pass

        def elapsed_time(self, end):
            return end.at - self.at


class _Using:
    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        cuda.current = self.stream

    def __exit__(self, *_):
        cuda.current = None


cuda = _Cuda("torch.cuda")
