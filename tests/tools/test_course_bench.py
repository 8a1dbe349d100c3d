"""bench with fake workers: what it measures, in which order, prints and keeps."""

import json
import os
import unittest

import support  # noqa: F401  (puts common/ on the path)
from bench_checkout import ALL, ROWS, BenchCheckout

from evidence import anchors, claims, records, times

INSTRUMENTS = [
    *("kernel", "span", "awaited", "queued-10", "queued-100", "graph-1", "graph-10", "graph-100"),
    "submit",
]


class Protocol(BenchCheckout):
    def turns(self, instrument="kernel", samples=100):
        asked = [r for r in self.requests("measure") if r["instrument"] == instrument]
        return [r["variant"] for r in asked if r["samples"] == samples and r["cache"] == "warm"]

    def test_the_order_is_rotated_by_one_each_round(self):
        self.bench(check=0)
        turns = self.turns()
        self.assertEqual(len(turns), 3 * len(ALL))
        for number in range(3):
            one = turns[number * len(ALL) : (number + 1) * len(ALL)]
            self.assertEqual(one, ALL[number:] + ALL[:number])

    def test_each_instrument_passes_over_all_variants(self):
        self.bench("--rounds", "1", check=0)
        asked = [
            (r["instrument"], r["batch"]) for r in self.requests("measure") if r["samples"] != 20
            or r["batch"] == 10
        ]  # fmt: skip
        passes = [asked[i] for i in range(0, len(asked), len(ALL))]
        self.assertEqual(len(asked), len(ALL) * len(passes))
        for number, way in enumerate(passes):
            self.assertEqual(set(asked[number * len(ALL) : (number + 1) * len(ALL)]), {way})
        labels = [times.label(name, "warm", batch) for name, batch in passes]
        self.assertEqual(labels, INSTRUMENTS)

    def test_the_fastest_and_the_slowest_rung_are_entered_twice(self):
        self.bench("--json", "out.json", check=0)
        record = records.load_record(self.folder / "out.json")
        again = [row for row in times.rows(record) if row["again_of"]]
        self.assertEqual([row["name"] for row in again], ["second (again)", "aside (again)"])
        self.assertIsNotNone(claims.factor(record, "first", "second"))

    def test_checks_come_before_and_after_the_times(self):
        self.bench("--rounds", "1", check=0)
        order = [r["do"] for r in self.requests()]
        first, last = order.index("measure"), len(order) - 1 - order[::-1].index("measure")
        before, after = order[:first], order[last:]
        self.assertEqual(before.count("check"), len(ROWS))
        self.assertEqual([r["small"] for r in self.requests("check")[:: len(ROWS)]], [True, False])
        self.assertEqual(after.count("check"), len(ROWS))
        for part in (before, after):
            self.assertEqual((part.count("output"), part.count("compare")), (2, 2))
        self.assertEqual(after.count("resources"), len(ROWS))
        self.assertLess(order.index("load"), order.index("measure", order.index("load")))

    def test_states_are_taken_around_each_round(self):
        self.bench("--json", "out.json", check=0)
        states = json.loads((self.folder / "out.json").read_text("utf-8"))["states"]
        whens = ["before", "round 1", "round 2", "round 3", "after"]
        self.assertEqual([state["when"] for state in states], whens)

    def test_python_peers_get_the_inputs_that_the_program_wrote(self):
        self.bench("--rounds", "1", check=0)
        opened = [r for r in self.requests("open") if "folder" in r]
        self.assertEqual([r["folder"] for r in opened], [self.requests("export")[0]["folder"]])
        (start,) = [line for line in self.called() if "peers.worker" in line]
        self.assertIn("-B -m peers.worker demo --library", start)
        self.assertTrue(start.endswith("build/bin/lib/librungs-measure.so"))
        self.assertFalse(os.path.exists(opened[0]["folder"]))  # noqa: PTH110

    def test_cold_takes_kernel_and_span_twice(self):
        self.bench("--rounds", "1", "--cold", "--json", "out.json", check=0)
        self.assertTrue(all(r["cold"] for r in self.requests("open")))
        record = records.load_record(self.folder / "out.json")
        labels = [time.label for time in times.all_times(times.row(record, "second"))]
        self.assertEqual(labels, [*INSTRUMENTS, "kernel-cold", "span-cold"])

    def test_only_measures_what_is_named(self):
        self.bench("--only", "1-second", "--only", "lib", "--rounds", "1", check=0)
        self.assertEqual(self.turns(), ["second", "lib", "second"])
        self.assertNotIn("peers.worker", "\n".join(self.called()))
        self.remove_log()
        self.bench("--only", "triton", "--rounds", "1", check=0)
        self.assertEqual(self.turns(), ["triton", "triton"])
        self.refused(2, "there is no 'third' here; there is first, second", "--only", "third")

    def test_no_peers_leaves_libraries_out(self):
        self.bench("--no-peers", "--rounds", "1", check=0)
        self.assertEqual(set(self.turns()), set(ROWS) - {"lib", "lib-tf32"})
        self.assertNotIn("peers.worker", "\n".join(self.called()))

    def test_the_ladders_shapes_are_in_one_record(self):
        self.write_settings(shapes=[[64, 64, 64], [128, 64, 64]], best_peer=["lib"])
        done = self.bench("--json", "out.json", check=0)
        opened = [r["shape"] for r in self.requests("open") if "folder" not in r]
        self.assertEqual(opened, [[64, 64, 64], [128, 64, 64]])
        record = records.load_record(self.folder / "out.json")
        self.assertEqual([shape["M"] for shape in times.shapes(record)], [64, 128])
        self.assertIsNotNone(times.row(record, "aside", {"M": 128, "N": 64, "K": 64}))
        whens = [state["when"] for state in record["states"]]
        self.assertEqual(whens[1], "round 1 at 64x64x64")
        self.assertEqual([p["rung"] for p in record["predictions"]], ["second", "aside"])
        (judged,) = claims.judge(record, None, "second")
        self.assertEqual(judged.verdict, "confirmed")
        first = anchors.resolve(record, "second/kernel")
        self.assertEqual(anchors.resolve(record, "64x64x64/second/kernel"), first)
        self.assertGreater(anchors.resolve(record, "64x128x64/second/kernel").value, first.value)
        self.assertIn("demo, M = 128, N = 64, K = 64, on Made-up GPU", done.stdout)

    def test_a_ladder_says_how_many_operations_a_sample_has(self):
        self.write_settings(batches=[1, 20])
        self.bench("--rounds", "1", "--json", "out.json", check=0)
        record = records.load_record(self.folder / "out.json")
        ways = [
            (way["name"], way["batch"], way["samples"])
            for way in record["protocol"]["instruments"]
            if way["name"] in ("queued", "graph")
        ]
        self.assertEqual(ways, [("queued", 20, 10), ("graph", 1, 100), ("graph", 20, 10)])

    def test_sets_of_buffers_taken_in_turn_are_asked_for_and_recorded(self):
        self.write_settings(buffers=2)
        done = self.bench("--rounds", "1", "--json", "out.json", check=0)
        self.assertEqual([r["buffers"] for r in self.requests("open")], [2, 2])
        record = records.load_record(self.folder / "out.json")
        self.assertEqual(record["protocol"]["buffers"], 2)
        text = " ".join(done.stdout.split())
        self.assertIn("kernel time (CUPTI), 2 sets of buffers in turn, the median of 1", text)
        self.write_settings()
        done = self.bench("--rounds", "1", "--json", "out.json", check=0)
        self.assertEqual(self.requests("open")[-1]["buffers"], 1)
        self.assertIn("kernel time (CUPTI), warm cache, the median", " ".join(done.stdout.split()))

    def test_errors_over_other_inputs_are_asked_of_rungs_and_peers(self):
        ranges = {"A": [9, 11], "B": [1, 1]}
        self.write_settings(
            accuracy=[{"name": "mean 10", "ranges": ranges}, {"name": "ones", "ranges": ranges}],
            shapes=[[64, 64, 64], [128, 64, 64]],
        )
        self.program["errors"] = {"second": None, "lib": 3e-4}
        done = self.bench("--cold", "--json", "out.json", check=0)
        opened = [r for r in self.requests("open") if "folder" not in r]
        self.assertEqual([r["shape"][0] for r in opened], [64, 128, 64, 64])
        self.assertEqual([r.get("ranges") for r in opened], [None, None, ranges, ranges])
        self.assertEqual([(r["cold"], r["buffers"]) for r in opened[2:]], [(False, 1)] * 2)

        record = records.load_record(self.folder / "out.json")
        first, ones = record["accuracy"]
        self.assertEqual(
            (first["name"], first["ranges"], ones["name"]), ("mean 10", ranges, "ones")
        )
        self.assertEqual(first["shape"], {"M": 64, "N": 64, "K": 64})
        errors = {row["name"]: row.get("max_relative_error") for row in first["rows"]}
        asked = [name for name in (*ROWS, "torch", "triton") if not name.startswith("floor")]
        self.assertEqual(list(errors), asked)
        self.assertEqual((errors["first"], errors["lib"], errors["torch"]), (0.25, 3e-4, 0.125))
        self.assertEqual(
            first["rows"][1], {"name": "second", "missing": "its output is not finite"}
        )
        self.assertEqual(anchors.resolve(record, "lib/error/mean-10").value, 3e-4)

        said = done.stdout[done.stdout.index("Errors at M = 64, N = 64, K = 64") :]
        self.assertRegex(said, r"(?m)^first +2\.5e-01 +2\.5e-01$")
        self.assertRegex(said, r"(?m)^second +- +-$")
        self.assertRegex(said, r"(?m)^lib +3\.0e-04 +3\.0e-04$")
        words = " ".join(said.split())
        self.assertIn("mean 10: A from 9 to 11, B = 1; ones: A from 9", words)
        self.assertIn("no error of second: its output is not finite.", words)

    def test_a_sweep_asks_for_no_errors_and_a_variant_that_is_not_there_has_a_reason(self):
        accuracy = [{"name": "ones", "ranges": {"A": [1, 1]}}]
        self.write_settings(accuracy=accuracy)
        self.peers["hello"]["variants"][1]["missing"] = "triton is not installed"
        self.bench("--rounds", "1", "--json", "out.json", check=0)
        (entry,) = records.load_record(self.folder / "out.json")["accuracy"]
        gap = {"name": "triton", "missing": "triton is not installed"}
        self.assertIn(gap, entry["rows"])
        self.remove_log()
        self.write_settings(accuracy=accuracy, sizes=[64, 128])
        self.bench("--sizes", "64", "--json", "sizes.json", check=0)
        self.assertNotIn("ranges", " ".join(self.called()))
        self.assertNotIn("accuracy", records.load_record(self.folder / "sizes.json"))

    def test_shapes_of_another_problem_and_sizes_that_do_not_grow_together_are_refused(self):
        self.write_settings(shapes=[[64, 64]])
        words = r"lessons/demo/ladder.json: the shape \[64, 64\] is not 3 sizes: M, N, K"
        self.refused(1, words)
        self.refused(2, "--sizes is not for demo: its sizes do not grow together", "--sizes", "64")

    def test_sizes_measure_numbered_rungs_and_fp32_peers(self):
        done = self.bench("--sizes", "128,64", "--save", "made-up", check=0)
        rows = ["first", "second", "lib", "torch", "triton"]
        self.assertEqual([r["shape"] for r in self.requests("open")[2::2]], [[64] * 3, [128] * 3])
        ways = {(r["instrument"], r["batch"]) for r in self.requests("measure")}
        self.assertEqual(ways, {("span", 1), ("kernel", 1), ("graph", 10)})
        record = records.load_record(self.record_path("made-up", "demo-sizes"))
        self.assertEqual([len(entry["rows"]) for entry in record["shapes"]], [7, 7])
        self.assertEqual(set(self.turns()), set(rows))
        self.assertRegex(done.stdout, r"M = 128, N = 128, K = 128, on Made-up GPU")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)


class Kept(BenchCheckout):
    def test_a_record_is_kept_and_never_overwritten(self):
        done = self.bench("--save", "made-up", check=0)
        self.assertIn("Kept as ", done.stderr)
        path = self.record_path("made-up")
        record = records.load_record(path)
        self.assertEqual(record["software"]["torch"], "2.11")
        self.assertEqual(times.row(record, "lib")["note"], "algorithm 3 of 8")
        names = [row["name"] for row in times.rows(record)]
        rungs, peers = ["first", "second", "aside"], ["lib", "lib-tf32", "torch", "triton"]
        last = ["floor-copy", "floor-ffma", "second (again)", "aside (again)"]
        self.assertEqual(names, [*rungs, *peers, *last])
        self.assertEqual([p["expected"] for p in record["predictions"]], [2.0, 4 / 6])
        copy = times.row(record, "floor-copy")
        self.assertEqual(copy["work"], ["input_bytes", "output_bytes"])
        self.assertEqual(copy["source_hash"], self.program["hello"]["variants"][5]["source_hash"])
        before = path.read_bytes()
        self.log.unlink()
        self.refused(2, "is there and is never overwritten", "--save", "made-up")
        self.assertEqual(self.called(), [])
        self.assertEqual(path.read_bytes(), before)

    def test_what_cannot_be_kept_is_refused_before_it_is_measured(self):
        subset = "--save keeps whole records: 3 rounds of 100 samples or more"
        for words, arguments, env in (
            (subset, ["--only", "first"], {}),
            (subset, ["--rounds", "2"], {}),
            (subset, ["--samples", "99"], {}),
            (subset, ["--no-peers"], {}),
            ("NVIDIA_TF32_OVERRIDE is '1'", [], {"NVIDIA_TF32_OVERRIDE": "1"}),
            ("CUDA_LAUNCH_BLOCKING is '1'", [], {"CUDA_LAUNCH_BLOCKING": "1"}),
        ):
            with self.subTest(words=words, arguments=arguments):
                self.refused(2, words, "--save", "made-up", *arguments, env=env)
                self.assertEqual(self.called(), [])
        for name in ("counts", "../x", "H200", ""):
            with self.subTest(name=name):
                self.refused(2, "is no name for a run", "--save", name)

    def test_a_build_that_is_not_what_is_there_is_refused(self):
        self.program["hello"]["build"] = "Debug"
        self.refused(2, "the build is Debug", "--save", "made-up")
        self.program["hello"]["build"] = "Release"
        source = self.program["describe"]["rungs"][1]["source_hash"]
        self.program["describe"]["rungs"][1]["source_hash"] = "0" * 64
        self.refused(1, "demo/second was built from another source", "--save", "made-up")
        self.program["describe"]["rungs"][1]["source_hash"] = source
        self.program["hello"]["variants"][5]["source_hash"] = "0" * 64
        self.refused(1, "floor-copy was built from another source", "--save", "made-up")
        self.assertEqual(self.requests("measure"), [])
        self.assertFalse(self.record_path("made-up").parent.exists())

    def test_an_impossible_time_is_refused_with_both_numbers(self):
        self.program["times"] = {**self.program["times"], "second": 0.002}
        words = r"second takes 0.002 us, but FP32 at 66.9 TFLOP/s needs 0.008 us at least"
        self.refused(1, words, "--save", "made-up")
        self.assertFalse(self.record_path("made-up").exists())

    def test_a_number_that_is_none_ends_the_run(self):
        self.program["answers"] = {"measure/first/span": '{"unit": "us", "samples": [NaN]}'}
        self.refused(1, "demo, its answer to 'measure': holds NaN", "--save", "made-up")
        self.assertFalse(self.record_path("made-up").parent.exists())

    def test_a_failed_check_is_shown_and_nothing_is_kept(self):
        shape = {"shape": {"M": 64, "N": 64, "K": 64}, "passed": False, "message": "C[3] is 1"}
        self.program["answers"] = {"check/second": {"passed": False, "shapes": [shape]}}
        done = self.refused(1, "nothing is written", "--save", "made-up")
        self.assertRegex(done.stdout, r"\nsecond +FAILED ")
        self.assertIn("second: its check before timing failed: C[3] is 1", done.stderr)
        self.assertNotIn("second", {r["variant"] for r in self.requests("measure")})
        self.assertIn("first", {r["variant"] for r in self.requests("measure")})
        self.assertFalse(self.record_path("made-up").exists())
        self.bench("--rounds", "1", check=1)

    def test_an_output_of_a_python_peer_that_is_wrong_fails_too(self):
        self.peers["answers"] = {"output/torch": {"error": "torch said no"}}
        done = self.bench("--rounds", "1", check=1)
        self.assertIn("torch: its check before timing failed: torch said no", done.stderr)

    def test_an_error_while_measuring_is_told_once_and_nothing_is_kept(self):
        self.program["answers"] = {"measure/lib/span": {"error": "the device is lost"}}
        done = self.refused(1, "nothing is written", "--save", "made-up")
        self.assertEqual(done.stderr.count("course: lib, span: the device is lost"), 1)
        self.assertFalse(self.record_path("made-up").exists())

    def test_many_troubles_are_cut_short(self):
        self.program["answers"] = {"measure": {"error": "the device is lost"}}
        done = self.bench("--rounds", "1", "--no-peers", check=1)
        self.assertEqual(done.stderr.count(": the device is lost"), 12)
        self.assertIn("... and 33 more", done.stderr)

    def test_wrong_values_are_refused(self):
        for words, *arguments in (
            ("--rounds '0' is not a number", "--rounds", "0"),
            ("--samples 'x' is not a number", "--samples", "x"),
            ("--sizes '64,0' is no list of sizes", "--sizes", "64,0"),
            ("--sizes '64,64' is no list of sizes", "--sizes", "64,64"),
            ("no --cold$", "--sizes", "64", "--cold"),
            ("--python 'nowhere' is no program", "--python", "nowhere"),
        ):
            with self.subTest(words=words):
                self.refused(2, words, *arguments)
                self.assertEqual(self.called(), [])
        self.sentence(2, "add --only second", "bench", "demo/second", "--no-build")


if __name__ == "__main__":
    unittest.main()
