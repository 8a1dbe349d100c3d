"""A copy of the command with fake workers: a ladder's program, and Python peers."""

import json
import shlex
import shutil
import sys
from pathlib import Path

from checkout import TABLES, Checkout
from made_up_record import WORK

from evidence import source_hash

MACHINE = {
    "name": "Made-up GPU",
    "compute_capability": "9.0",
    "multiprocessors": 132,
    "memory_bytes": 1 << 37,
    "l2_bytes": 62914560,
    "max_sm_clock_mhz": 1980,
    "max_memory_clock_mhz": 3201,
    "memory_bus_bits": 6144,
    "threads_per_multiprocessor": 2048,
    "driver": "580.0",
    "cuda_driver": "13.0",
}
DEVICE = {"kind": "gpu", "name": "Made-up GPU", "reason": "there is one"}
TIMES = {
    "first": 80.0,
    "second": 40.0,
    "aside": 120.0,
    "lib": 38.0,
    "lib-tf32": 12.0,
    "floor-ffma": 30.0,
    "floor-copy": 9.0,
}
PEERS = {"torch": 39.0, "triton": 37.0}
SETTINGS = {
    "counters": ["shared_load_wavefronts", "multiply_adds"],
    "sizes": [64, 128],
    "best_peer": ["lib", "torch", "triton"],
    "floor": "floor-ffma",
}
# The order of rows, and of the rotation's first round: the fastest and slowest rung come again.
ROWS = ["first", "second", "aside", "lib", "lib-tf32", "floor-copy", "floor-ffma"]
ALL = [*ROWS, "torch", "triton", "second", "aside"]


def variant(name, kind="peer", math="fp32", order=None, after=None):
    return {"name": name, "kind": kind, "math": math, "order": order, "after": after}


class BenchCheckout(Checkout):
    """A test case with a ladder whose worker makes samples up."""

    def setUp(self):
        super().setUp()
        path = self.root / "lessons" / "demo" / "ladder.json"
        path.write_text(json.dumps({**TABLES, **SETTINGS}), encoding="utf-8")
        self.save_counts()
        self.program = {
            "describe": self.document,
            "hello": {
                "ladder": "demo",
                "build": "Release",
                "device": DEVICE,
                "machine": MACHINE,
                "software": {"cuda_runtime": "13.0", "cublas": None},
                "environment": {},
                "variants": [
                    variant("first", "kept", order=0),
                    variant("second", "kept", order=1, after="first"),
                    variant("aside", "rejected", order=1001, after="first"),
                    variant("lib"),
                    variant("lib-tf32", math="tf32"),
                    self.floor("floor-copy"),
                    self.floor("floor-ffma"),
                ],
            },
            "times": TIMES,
            "prepared": {"lib": "algorithm 3 of 8"},
        }
        self.peers = {
            "hello": {
                "software": {"torch": "2.11", "triton": None},
                "variants": [variant("torch"), variant("triton")],
            },
            "times": PEERS,
        }
        self.python = self.folder / "fake python"

    def write_settings(self, **settings):
        path = self.root / "lessons" / "demo" / "ladder.json"
        path.write_text(json.dumps(settings), encoding="utf-8")

    def floor(self, name):
        """Return a floor as a program built from the sources that are there describes it."""
        source = source_hash.floor_hash(self.root, name)
        return {**variant(name, "floor"), "source_hash": source, "work": WORK[name]}

    def bench(self, *arguments, **options):
        """Write both workers as they are set, run the command with them."""
        self.write_workers()
        return self.course(*self.command(*arguments), **options)

    def refused(self, code, words, *arguments, **options):
        """Hold that the command ends with this code and one sentence."""
        self.write_workers()
        return self.sentence(code, words, *self.command(*arguments), **options)

    def command(self, *arguments):
        given = ["bench", "demo", "--no-build", *arguments]
        return given if "--python" in arguments else [*given, "--python", str(self.python)]

    def write_workers(self):
        self.write_worker(self.places.bin / "demo", self.program)
        self.write_worker(self.python, self.peers)

    def write_worker(self, path, settings):
        # By a shell: a "#!" line cannot name an interpreter whose path holds a space.
        self.stand_in(path, f'exec {shlex.quote(sys.executable)} "$0.fake.py" "$@"\n')
        shutil.copy(Path(__file__).with_name("fake_worker.py"), f"{path}.fake.py")
        Path(f"{path}.fake.json").write_text(json.dumps(settings), encoding="utf-8")

    def requests(self, do=None):
        """Return what the workers were asked, in order."""
        lines = [json.loads(line) for line in self.called() if line.startswith("{")]
        return [line for line in lines if do is None or line["do"] == do]

    def record_path(self, namespace, name="demo"):
        return self.root / "docs" / "evidence" / namespace / f"{name}.json"

    def remove_log(self):
        self.log.unlink(missing_ok=True)
        shutil.rmtree(self.root / "docs" / "evidence" / "made-up", ignore_errors=True)
