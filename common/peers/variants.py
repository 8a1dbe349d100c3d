"""What a ladder's ``peers.py`` says of its peers.

The module has four names, and a fifth if a size may be other than positive:

``SIZES``    the names of the sizes, in the order of ``--shape``: ``("M", "N", "K")``
``LEAST``    the smallest value of each size; left out, 1 each
``INPUTS``   the extents of each input by name: ``{"A": ("M", "K"), ...}``
``OUTPUTS``  those of each output
``VARIANTS`` a list of Variant

All tensors are FP32, row-major, without gaps, as in the ladder's problem header.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Tensors = dict[str, Any]  # torch.Tensor by name, inputs and outputs alike
Launch = Callable[[Tensors], None]


class Refused(Exception):
    """A variant cannot do a shape; the text is one sentence."""


@dataclass(frozen=True)
class Prepared:
    """A variant at one shape: how it is launched, and what was chosen."""

    launch: Launch  # puts the operation into the current stream, and nothing else
    note: str = ""


@dataclass(frozen=True)
class Variant:
    """One peer.

    ``missing`` is why it is not to be had here, in one sentence; empty if it is. ``prepare`` is
    called once for an open shape, in the stream that everything is launched in, with the sizes by
    name and the tensors of one buffer set. It launches once at least, so that later launches load
    and allocate nothing, and raises Refused if it cannot do the shape.
    """

    name: str
    prepare: Callable[[dict[str, int], Tensors], Prepared]
    math: str = "fp32"
    missing: str = ""
