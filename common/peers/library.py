"""librungs-measure.so: the instruments that the ladder's own program measures with."""

import ctypes
import json
from collections.abc import Callable
from pathlib import Path

from peers import tools

VERSION = "rungs-measure/1"

# int launch(void* context, int index, void* stream); 0 is good
_LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


class LibraryError(Exception):
    """The library is missing or is not the one meant; the text is one sentence."""


class Library:
    """The loaded library. Load it after torch: both then share torch's CUDA runtime."""

    def __init__(self, path: Path):
        """Load it. Raises LibraryError."""
        try:
            self._library = ctypes.CDLL(str(path))
            version = self._library.rungs_measure_version
            measure = self._library.rungs_measure
        except (OSError, AttributeError) as error:
            why = tools.one_line(error)
            raise LibraryError(f"{path} cannot be loaded: {why}; build again") from None
        version.restype = ctypes.c_char_p
        version.argtypes = []
        found = version().decode()
        if found != VERSION:
            raise LibraryError(f"{path} is {found}, this course needs {VERSION}; build again")
        measure.restype = ctypes.c_char_p
        measure.argtypes = [
            *(ctypes.c_char_p, ctypes.c_int, ctypes.c_int),
            *(_LAUNCH, ctypes.c_void_p, ctypes.c_void_p),
        ]

    def measure(
        self, instrument: str, samples: int, batch: int, launch: Callable[[int], None], stream: int
    ) -> dict:
        """Return the answer of a ``measure`` request.

        ``launch(index)`` puts the operation on buffer set ``index``, not yet taken modulo the
        number of sets, into ``stream``, a raw CUDA stream. What it raises ends the measurement,
        and is the reason that the answer gives; an order to stop goes on from here.
        """
        raised: list[BaseException] = []

        def call(_context, index, _stream) -> int:
            try:
                launch(index)
            except BaseException as error:  # nothing may be raised through C
                raised.append(error)
                return 1
            return 0

        said = self._library.rungs_measure(
            instrument.encode(), samples, batch, _LAUNCH(call), None, stream
        )
        for error in raised:
            if not isinstance(error, Exception):
                raise error
        answer = json.loads(said.decode("utf-8", "replace"))
        if raised and "samples" not in answer and "error" not in answer:
            return {"missing": f"the launch failed: {tools.one_line(raised[0])}"}
        return answer
