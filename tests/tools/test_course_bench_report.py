"""bench with fake workers: what it prints of what it measured."""

import json
import unittest

import support  # noqa: F401  (puts common/ on the path)
from bench_checkout import TIMES, BenchCheckout
from checkout import TABLES

from course.bench.report import report
from evidence import anchors, records, times
from evidence.ladder_settings import LadderSettings


class Printed(BenchCheckout):
    def test_the_tables(self):
        done = self.bench(check=0)
        lines = done.stdout.splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertTrue(done.stdout.isascii())
        cells = [line.split() for line in lines if line]
        first, times_of = [
            {row[0]: row[1:] for row in cells if row[0] == name} for name in ("first", "second")
        ]
        facts, timed = [row[1:] for row in cells if row[0] == "second"]
        self.assertEqual(facts, ["ok", "40", "2048", "3", "0.25", "0.01172"])
        self.assertEqual(timed[0], "40.14")
        self.assertEqual(timed[-3:], ["2.00", "r", "confirmed"])
        self.assertEqual(timed[3], "2.00")  # x before
        self.assertEqual(timed[4:6], ["92", "75"])  # of triton's 37 us, of the floor's 30 us
        self.assertEqual(len(first) + len(times_of), 2)
        self.assertIn("\nafter first:\naside ", done.stdout)
        self.assertIn("\npeers:\nlib ", done.stdout)
        self.assertRegex(
            done.stdout, r"\npeers in TF32, which is not FP32:\nlib-tf32 .* - +- +- +-\n"
        )
        self.assertIn("best peer: triton.", done.stdout)
        text = " ".join(done.stdout.split())
        self.assertIn("noise: second and aside, entered twice, differ by up to kernel ", text)
        self.assertIn("lib 3.0e-07 (FP32), lib-tf32 3.0e-07 (TF32), torch", text)
        self.assertIn("SM clock 1980 MHz", text)

    def test_a_difference_inside_the_noise_is_no_gain(self):
        self.program["times"] = {**self.program["times"], "second": 79.95}
        done = self.bench(check=0)
        self.assertRegex(done.stdout, r"\nsecond .*~1\.00 .*2\.00 r +refuted\n")

    def test_long_names_and_words_stay_inside_80_columns(self):
        self.bench("--rounds", "2", "--json", "out.json", check=0)
        text = (self.folder / "out.json").read_text(encoding="utf-8")
        text = text.replace('"second', '"interleaved-lanes').replace("floor-ffma", "floor-of-all")
        record = json.loads(text.replace('"aside', '"a-name-that-no-table-has-room-for'))
        row = times.row(record, "interleaved-lanes")
        kernel = next(time for time in row["times"] if time["instrument"] == "kernel")
        kernel["rounds"] = [[5.0] * 100, [1300.0] * 100]
        first = next(p for p in record["predictions"] if p["rung"] == "interleaved-lanes")
        first["expected"] = 12.5
        record["predictions"].append({**first, "model": "wavefronts", "expected": 0.5})
        record["predictions"].append({**first, "rung": "first", "model": "resident-threads"})
        settings = LadderSettings(best_peer=("lib", "torch"), floor="floor-of-all")
        lines = report(record, None, settings).splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        (at,) = [i for i, line in enumerate(lines) if "12.50 rea" in line]
        self.assertRegex(lines[at], r"^interleaved-lanes .* 12.50 rea +not resolved$")
        self.assertRegex(lines[at + 1], r"^ +0.50 w +not resolved$")
        self.assertIn("a-name-that", "".join(lines))
        self.assertIn("expected: rea by reads, res by resident-threads, w by wavefronts.", lines)

    def test_throttling_is_marked(self):
        state = {"sm_clock_mhz": 1500.0, "memory_clock_mhz": None, "temperature_c": 84.0}
        state.update({"power_w": 700.0, "throttle": ["sw_power_cap"]})
        self.program["answers"] = {"state": state}
        done = self.bench("--json", "out.json", check=0)
        self.assertIn("throttled: the card held its clocks back (sw_power_cap)", done.stdout)
        self.assertTrue(json.loads((self.folder / "out.json").read_text("utf-8"))["throttled"])
        self.program["answers"] = {"state": {"missing": "there is no NVML here"}}
        done = self.bench("--rounds", "1", check=0)
        self.assertIn("clocks: there is no NVML here.", done.stdout)
        self.assertNotIn("throttled", done.stdout)

    def test_what_is_missing_is_said_with_the_reason(self):
        gone = self.program["hello"]["variants"][3]
        gone["missing"] = "cuBLAS was not found"
        why = "ERR_NVGPUCTRPERM: only an administrator may"
        self.program["answers"] = {"measure/first/kernel": {"missing": why}}
        done = self.bench("--json", "out.json", check=0)
        text = " ".join(done.stdout.split())
        self.assertIn("missing: lib: cuBLAS was not found.", text)
        self.assertIn(f"missing: first: kernel: {why}.", text)
        record = records.load_record(self.folder / "out.json")
        self.assertEqual(times.row(record, "lib")["missing"], "cuBLAS was not found")
        self.assertEqual(times.find(times.row(record, "first")).missing, why)

    def test_each_kernel_of_a_rung_of_several_has_a_line_above_their_sum(self):
        self.program["kernels"] = {
            "second": {
                "void demo::second::sum_pass<256>(float const*, float*, int)": 36.0,
                "demo::second::finish(float*)": 3.0,
                "void demo::second::finish<8>(float*)": 1.0,
            }
        }
        done = self.bench("--rounds", "1", "--json", "out.json", check=0)
        table = done.stdout[done.stdout.index("rung ", done.stdout.index("registers")) :]
        lines = table.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("second "))
        names = [line.split()[0] for line in lines[at - 3 : at]]
        self.assertEqual(names, ["sum_pass", "finish", "finish-2"])
        parts = [float(line.split()[1]) for line in lines[at - 3 : at]]
        self.assertAlmostEqual(sum(parts), float(lines[at].split()[1]), delta=0.03)
        self.assertAlmostEqual(parts[0] / parts[1], 12.0, delta=0.1)
        said = " ".join(done.stdout.split())
        self.assertIn("indented: the kernels of the row below them, whose time is", said)
        record = records.load_record(self.folder / "out.json")
        for name, part in zip(names, parts, strict=True):
            found = anchors.resolve(record, f"second/kernel/{name}")
            self.assertAlmostEqual(found.value, part, delta=0.006)
            self.assertEqual((found.unit, found.instrument), ("us", "kernel"))

    def test_where_bytes_are_the_work_floor_and_memory_are_both_shown(self):
        self.program["work"] = None
        self.program["times"] = {**TIMES, "floor-copy": 30.0}
        hello = self.program["hello"]
        hello["machine"] = {**hello["machine"], "l2_bytes": 1024}
        settings = {**TABLES, "best_peer": ["lib"], "floor": "floor-copy"}
        self.write_settings(**settings)
        done = self.bench("--rounds", "1", "--json", "out.json", "--only", "first", "--only",
                          "floor-copy", check=0)  # fmt: skip
        text = " ".join(done.stdout.split())
        self.assertIn("% of % of rung us +- TB/s floor memory", text)
        self.assertIn("floor: floor-copy. memory: 4.92 TB/s by the machine's memory clock", text)
        record = records.load_record(self.folder / "out.json")
        time = anchors.resolve(record, "first/kernel").value
        share = 100 * (3 * 64 * 64 * 4 / (time * 1e-6)) / (2 * 3201e6 * 6144 / 8)
        found = anchors.resolve(record, "first/of-memory")
        self.assertAlmostEqual(found.value, share, places=9)
        self.assertEqual(found.unit, "%")

    def test_without_kernel_times_a_graph_takes_their_place(self):
        why = {"missing": "no CUPTI here"}
        for worker in (self.program, self.peers):
            names = worker["times"]
            worker["answers"] = {f"measure/{name}/kernel": why for name in names}
        done = self.bench("--rounds", "1", check=0)
        text = " ".join(done.stdout.split())
        self.assertIn("us: a graph of one launch (no kernel times: see below)", text)
        self.assertIn("missing: every row: kernel: no CUPTI here.", text)

    def test_a_missing_torch_is_an_explained_gap(self):
        self.write_workers()
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "python3").symlink_to(self.python)  # it imports no torch
        path = str(self.folder / "bin")
        done = self.course("bench", "demo", "--no-build", env={"PATH": path}, check=0)
        text = " ".join(done.stdout.split())
        self.assertIn("missing: torch, triton: no python3 on PATH can import torch", text)
        self.assertRegex(done.stdout, r"\ntorch +- +-\n|\ntorch +-")

    def test_a_refused_shape_leaves_a_gap(self):
        opened = {"sets": 1, "multiply_adds": 262144, "bytes": 49152, "input_bytes": 32768}
        refused = {"second": "M = 64 is no multiple of 128"}
        self.program["answers"] = {"open": {**opened, "refused": refused, "prepared": {}}}
        done = self.bench("--rounds", "1", check=0)
        self.assertIn("missing: second: M = 64 is no multiple of 128.", done.stdout)

    def test_the_json_alone_is_on_stdout(self):
        done = self.bench("--rounds", "1", "--json", "-", check=0)
        self.assertEqual(json.loads(done.stdout)["schema"], "rungs-record/2")


if __name__ == "__main__":
    unittest.main()
