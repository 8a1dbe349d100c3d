"""A worker that makes its samples up, in place of a ladder's program or of the Python peers.

It is copied to NAME.fake.py, which the program NAME starts; NAME.fake.json says what it answers:

    describe   the document that --describe writes
    hello      the answer to "hello"
    times      microseconds by variant
    kernels    by variant the kernels of one operation, if there are several: its time by name
    work       null: the operation multiplies nothing
    errors     largest errors by variant over other inputs than the problem's own; null: not finite
    answers    answers by "do", "do/variant" or "do/variant/instrument", in place of its own
    die        {"do": .., "variant": .., "say": .., "code": ..}: how it ends, and at what
    hang       the request at which it starts a child, and both wait
    ignore     true: it ignores SIGTERM and SIGINT, and so does its child

STANDIN_DELAY is how many seconds an answer takes.

Every request is appended to STANDIN_LOG.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SETTINGS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
STATE = {
    "sm_clock_mhz": 1980.0,
    "memory_clock_mhz": 3201.0,
    "temperature_c": 40.0,
    "power_w": 300.0,
    "throttle": [],
}


def log(text):
    with Path(os.environ["STANDIN_LOG"]).open("a", encoding="utf-8") as out:
        out.write(text + "\n")


def wrong(shape, error):
    one = {"passed": False, "max_relative_error": error, "tolerance": 1e-6, "message": "wrong"}
    return {"passed": False, "shapes": [{"shape": dict(zip("MNK", shape, strict=True)), **one}]}


def check(*shapes):
    one = {"passed": True, "max_relative_error": 3e-7, "tolerance": 1e-6, "message": ""}
    named = [dict(zip("MNK", shape, strict=True)) for shape in shapes]
    return {"passed": True, "shapes": [{"shape": shape, **one} for shape in named]}


def kernel(name):
    return {
        "name": f"{name}_kernel",
        "registers": 40,
        "static_shared_bytes": 2048,
        "dynamic_shared_bytes": 0,
    }


class Answers:
    """What the worker does when nothing else was said."""

    shape = (64, 64, 64)
    ranges = None
    measured = 0

    def hello(self, request):
        return {"protocol": "rungs-worker/1", **SETTINGS["hello"]}

    def open(self, request):
        self.shape, self.ranges = request["shape"], request.get("ranges")
        m, n, k = self.shape
        size = 4 * (m * k + k * n + m * n)
        return {
            "sets": 8 if request["cold"] else 1,
            "multiply_adds": SETTINGS.get("work", m * n * k),
            "bytes": size,
            "input_bytes": size - 4 * m * n,
            "refused": {},
            "prepared": SETTINGS.get("prepared", {}),
        }

    def check(self, request):
        if self.ranges:
            return wrong(self.shape, SETTINGS.get("errors", {}).get(request["variant"], 0.25))
        return check((32, 32, 32), self.shape) if request["small"] else check(self.shape)

    def export(self, request):
        Path(request["folder"], "A.f32").write_bytes(b"\0" * 4)
        return {"inputs": {}, "outputs": {}}

    def output(self, request):
        Path(request["folder"], "C.f32").write_bytes(b"\0" * 4)
        return {}

    def compare(self, request):
        if not Path(request["folder"], "C.f32").exists():
            return {"error": "C.f32 is not there"}
        if self.ranges:
            return wrong(self.shape, 0.125)
        return check(self.shape)

    def resources(self, request):
        more = {"local_bytes": 0, "block_threads": 64, "blocks": 1, "blocks_per_multiprocessor": 3}
        return {"kernels": [{**kernel(request["variant"]), **more}]}

    def measure(self, request):
        base = SETTINGS["times"][request["variant"]] * (self.shape[0] / 64) ** 3
        self.measured += 1
        drift = 0.0005 * (self.measured % 7)
        spread = [1 + drift + 0.001 * (7 * i % 5) for i in range(request["samples"])]
        samples = [round(base * factor, 3) for factor in spread]
        answer = {"unit": "us", "samples": samples}
        if request["instrument"] == "kernel":
            more = {"launches_per_operation": 1, "grid": [1, 1, 1], "block": [64, 1, 1]}
            own = kernel(request["variant"])
            parts = SETTINGS.get("kernels", {}).get(request["variant"], {own["name"]: 1})
            shares = {name: part / sum(parts.values()) for name, part in parts.items()}
            answer["kernels"] = [
                {**own, **more, "name": name, "samples": [round(s * share, 3) for s in samples]}
                for name, share in shares.items()
            ]
        return answer

    def state(self, request):
        return STATE

    def load(self, request):
        return {}

    def close(self, request):
        return {}


def find(table, request):
    """Return what a table says of a request, by its most exact key."""
    keys = [request["do"]]
    for name in ("variant", "instrument"):
        keys.append(f"{keys[-1]}/{request.get(name)}")
    return next((table[key] for key in reversed(keys) if key in table), None)


def main():
    if "--describe" in sys.argv:
        out = sys.argv[sys.argv.index("--json") + 1]
        Path(out).write_text(json.dumps(SETTINGS["describe"]), encoding="utf-8")
        return 0
    log("start " + " ".join(sys.argv[1:]))
    own = Answers()
    if SETTINGS.get("ignore"):
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
    delay = float(os.environ.get("STANDIN_DELAY", "0"))
    for line in sys.stdin:
        request = json.loads(line)
        log(line.strip())
        death = SETTINGS.get("die", {})
        if death and all(request.get(key) == death[key] for key in death.keys() - {"say", "code"}):
            sys.stderr.write(death["say"])
            return death["code"]
        if request["do"] == SETTINGS.get("hang"):
            child = subprocess.Popen(["sleep", "60"])
            Path(os.environ["STANDIN_LOG"] + ".pid").write_text(
                f"{os.getpid()}\n{child.pid}\n", encoding="ascii"
            )
            time.sleep(60)
        time.sleep(delay)
        answer = find(SETTINGS.get("answers", {}), request)
        if answer is None:
            answer = getattr(own, request["do"])(request)
        print(answer if isinstance(answer, str) else json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
