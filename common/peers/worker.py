"""The worker: answers one line of JSON with one line of JSON, protocol rungs-worker/1.

Requests: hello, open (with the folder of the exported inputs), output, measure, load, close. It
checks nothing itself: ``output`` writes what a variant computed, and the ladder's own program
compares it. What cannot be done is answered with {"error": "one sentence"}. End of input ends it.
"""

import argparse
import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path

PROTOCOL = "rungs-worker/1"
INTERRUPTED = 130

# The variables that change what is measured, as the ladder's own program lists them.
ENVIRONMENT = (
    *("CUBLAS_WORKSPACE_CONFIG", "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_FORCE_PTX_JIT"),
    *("CUDA_LAUNCH_BLOCKING", "CUDA_MODULE_LOADING", "NVIDIA_TF32_OVERRIDE"),
    *("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "TRITON_F32_DEFAULT"),
)


class RequestError(Exception):
    """A request that cannot be done; the text is one sentence."""


class Worker:
    """The state between requests: the ladder's peers, and the shape that is open."""

    def __init__(self, ladder: str, library: Path):
        """Load the ladder's peers. Nothing of it needs a GPU."""
        # Imported here: torch takes seconds, in which an interruption must end quietly.
        from peers import ladders, tools
        from peers.variants import Variant

        self._tools = tools
        self._name = ladder
        self._ladder = ladders.load(ladder)
        self._variants: dict[str, Variant] = {v.name: v for v in self._ladder.VARIANTS}
        self._missing = {v.name: v.missing for v in self._ladder.VARIANTS if v.missing}
        self._library, self._stream = None, None
        if tools.torch.module is not None:
            self._start(library)
        self._close()

    def _start(self, path: Path) -> None:
        """Load the measuring library and make the stream that everything is launched in."""
        from peers import library

        try:
            self._library = library.Library(path)
            self._stream = self._tools.torch.module.cuda.Stream()
        except Exception as error:
            for name in self._variants:
                self._missing.setdefault(name, self._tools.one_line(error))

    def _close(self) -> None:
        had = self._tools.torch.module is not None and hasattr(self, "_sets")
        self._sets, self._prepared, self._refused = [], {}, {}
        self._in_turn = 1  # sets that warm launches take in turn
        if had:
            self._tools.torch.module.cuda.empty_cache()  # the program's sets need room too

    def answer(self, request: dict) -> dict:
        """Return the answer to a request. Raises RequestError, and what torch raises."""
        answers = {
            "hello": self._hello,
            "open": self._open,
            "output": self._output,
            "measure": self._measure,
            "load": self._load,
            "close": lambda _request: self._close() or {},
        }
        action = request.get("do")
        if action not in answers:
            raise RequestError(f'"do" is {json.dumps(action)}; there is {", ".join(answers)}')
        return answers[action](request)

    def _hello(self, _request: dict) -> dict:
        found = {
            "python": ".".join(map(str, sys.version_info[:3])),
            "torch": self._tools.torch_alone.version,
            "triton": self._tools.triton.version,
        }
        return {
            "protocol": PROTOCOL,
            "ladder": self._name,
            "software": {name: version for name, version in found.items() if version},
            "environment": {name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
            "variants": [self._description(variant) for variant in self._variants.values()],
        }

    def _description(self, variant) -> dict:
        fields = {"name": variant.name, "kind": "peer", "math": variant.math}
        why = self._missing.get(variant.name)
        return {**fields, "order": None, "after": None, **({"missing": why} if why else {})}

    def _open(self, request: dict) -> dict:
        from peers import buffers

        sizes = self._sizes(request.get("shape"))
        folder = Path(_text(request, "folder"))
        self._close()
        there = [v for v in self._variants.values() if v.name not in self._missing]
        self._in_turn = count = _whole(request, "buffers", 1)
        one = buffers.footprint(self._ladder, sizes)
        if there:
            cuda = self._tools.torch.module.cuda
            if request.get("cold", False):
                cache = cuda.get_device_properties(0).L2_cache_size
                count = max(count, buffers.cold_sets(one, cache))
            try:
                self._sets = buffers.allocate(self._ladder, sizes, folder, count)
            except buffers.FileError as error:
                raise RequestError(str(error)) from None
        for variant in there:
            self._prepare(variant, sizes)
        notes = {name: made.note for name, made in self._prepared.items() if made.note}
        return {"sets": count, "bytes": one, "refused": self._refused, "prepared": notes}

    def _sizes(self, shape) -> dict[str, int]:
        names = self._ladder.SIZES
        least = getattr(self._ladder, "LEAST", (1,) * len(names))
        good = isinstance(shape, list) and len(shape) == len(names)
        if not good or not all(
            type(size) is int and size >= low for size, low in zip(shape, least, strict=True)
        ):
            lows = ", ".join(str(low) for low in least)
            what = "positive sizes" if set(least) == {1} else f"sizes of at least {lows}"
            raise RequestError(f'"shape" is not {len(names)} {what}')
        return dict(zip(names, shape, strict=True))

    def _prepare(self, variant, sizes: dict[str, int]) -> None:
        try:
            with self._in_stream():
                self._prepared[variant.name] = variant.prepare(sizes, self._sets[0])
                self._stream.synchronize()
        except Exception as error:  # Refused, or whatever a compiler or a launch raises
            self._prepared.pop(variant.name, None)
            self._refused[variant.name] = f"{variant.name}: {self._tools.one_line(error)}"

    @contextlib.contextmanager
    def _in_stream(self):
        """Let torch and Triton launch into this worker's own stream."""
        with self._tools.torch.module.cuda.stream(self._stream):
            yield

    def _usable(self, request: dict):
        """Return (name, what was prepared) of the variant asked for."""
        name = _text(request, "variant")
        if name not in self._variants:
            known = ", ".join(self._variants)
            raise RequestError(f"no variant is called {json.dumps(name)}; there is {known}")
        if name in self._missing:
            raise RequestError(self._missing[name])
        if name in self._refused:
            raise RequestError(self._refused[name])
        if name not in self._prepared:
            raise RequestError("no shape is open")
        return name, self._prepared[name]

    def _output(self, request: dict) -> dict:
        from peers import buffers

        _, prepared = self._usable(request)
        folder = Path(_text(request, "folder"))
        tensors = self._sets[0]
        with self._in_stream():
            for name in self._ladder.OUTPUTS:
                buffers.poison(tensors[name])
            prepared.launch(tensors)
            self._stream.synchronize()
            try:
                for name in self._ladder.OUTPUTS:
                    buffers.write(folder / f"{name}.f32", tensors[name])
            except buffers.FileError as error:
                raise RequestError(str(error)) from None
        return {"outputs": {name: {"file": f"{name}.f32"} for name in self._ladder.OUTPUTS}}

    def _measure(self, request: dict) -> dict:
        instrument = _text(request, "instrument")
        samples, batch = _whole(request, "samples", 100), _whole(request, "batch", 1)
        cache = request.get("cache", "warm")
        if cache not in ("warm", "cold"):
            raise RequestError(f'"cache" is {json.dumps(cache)}; there is warm and cold')
        try:
            _, prepared = self._usable(request)
        except RequestError as error:
            if request.get("variant") in {**self._missing, **self._refused}:
                return {"missing": str(error)}
            raise
        sets = self._sets if cache == "cold" else self._sets[: self._in_turn]
        if cache == "cold" and len(sets) < 2:
            raise RequestError("the shape was opened for a warm cache alone")
        if instrument == "graph" and batch < len(sets):
            launches = "1 launch" if batch == 1 else f"{batch} launches"
            return {"missing": f"a graph of {launches} replays on as many of {len(sets)} "
                               "buffer sets, which the cache may hold"}  # fmt: skip
        count, launch = len(sets), prepared.launch
        with self._in_stream():
            return self._library.measure(
                *(instrument, samples, batch),
                lambda index: launch(sets[index % count]),
                self._stream.cuda_stream,
            )

    def _load(self, request: dict) -> dict:
        seconds = request.get("seconds", 0.5)
        if not isinstance(seconds, (int, float)) or not 0 <= seconds <= 60:
            raise RequestError('"seconds" is not between 0 and 60')
        if not self._prepared:
            raise RequestError("no variant can run: no shape is open")
        launch = next(iter(self._prepared.values())).launch
        limit = time.monotonic() + seconds
        with self._in_stream():
            while time.monotonic() < limit:
                for _ in range(20):
                    launch(self._sets[0])
                self._stream.synchronize()
        return {}


def _text(request: dict, name: str) -> str:
    value = request.get(name)
    if not isinstance(value, str):
        raise RequestError(f'the request has no text "{name}"')
    return value


def _whole(request: dict, name: str, usual: int) -> int:
    value = request.get(name, usual)
    if type(value) is not int or not 0 < value < 1 << 31:
        raise RequestError(f'"{name}" is no positive whole number')
    return value


def _answer(worker: Worker, line: bytes, one_line) -> dict:
    try:
        request = json.loads(line)
        if not isinstance(request, dict):
            raise RequestError("a request is a JSON object")
        return worker.answer(request)
    except RequestError as error:
        return {"error": str(error)}
    except ValueError as error:
        return {"error": f"the request is no JSON: {one_line(error)}"}
    except Exception as error:  # torch's: out of memory, a lost device
        return {"error": f"{type(error).__name__}: {one_line(error)}"}


@contextlib.contextmanager
def _answers_alone():
    """Give stdout for answers; what a library prints there goes to stderr from now on."""
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        yield answers


def run(arguments: list[str]) -> int:
    """Answer until the input ends."""
    parser = argparse.ArgumentParser(prog="peers.worker", allow_abbrev=False)
    parser.add_argument("ladder")
    parser.add_argument("--library", required=True, type=Path, metavar="PATH")
    options = parser.parse_args(arguments)
    with _answers_alone() as answers:
        return _serve(options.ladder, options.library, answers)


def _serve(ladder: str, library: Path, answers) -> int:
    from peers.ladders import LadderError
    from peers.tools import one_line

    try:
        worker = Worker(ladder, library)
    except LadderError as error:
        print(error, file=sys.stderr)
        return 2
    for line in sys.stdin.buffer:
        said = _answer(worker, line, one_line)
        answers.write(json.dumps(said, allow_nan=False).encode() + b"\n")
        answers.flush()
    return 0


def main() -> None:
    """Run, and end quietly when told to: no traceback, whatever a library is doing."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)  # at once: the GPU's work is not waited for
    except BrokenPipeError:
        os._exit(0)  # nobody listens any more
    sys.exit(code)


if __name__ == "__main__":
    main()
