"""A triton for tests: a launch multiplies on the host. FAKE_TRITON_REFUSES names blocks of C."""

import os

import torch

from . import language  # noqa: F401

__version__ = "3.6.0"


class _Jit:
    def __init__(self, function):
        self.function = function

    def __getitem__(self, grid):
        def launch(a, b, c, n, k, rows, cols, k_step, num_warps, num_stages):
            assert grid == (n // cols, a.shape[0] // rows), "the grid covers C"
            assert (a.shape[1], b.shape[1]) == (k, n)
            if f"{rows}x{cols}" in os.environ.get("FAKE_TRITON_REFUSES", "").split():
                raise RuntimeError("out of resource: shared memory")
            best = (rows, cols, k_step, num_warps, num_stages) == (64, 128, 32, 8, 3)
            torch.product(a, b, c, 1.0 if best else 2.0)

        return launch


def jit(function):
    print("a library says something")
    return _Jit(function)
