"""Whether there is certainly no GPU, asked of the driver before anything is built."""

import ctypes

_NO_DEVICE = 100  # CUDA_ERROR_NO_DEVICE of the driver's API


def why_no_gpu() -> str:
    """Return why there is no GPU; an empty text if there may be one."""
    try:
        code = ctypes.CDLL("libcuda.so.1").cuInit(0)
    except OSError:
        return "there is no NVIDIA driver here"
    return "the NVIDIA driver finds none" if code == _NO_DEVICE else ""
