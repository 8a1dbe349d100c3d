"""Hardware counters: Nsight Compute's page, and bench --counters with a stand-in for ncu."""

import json
import unittest

import support  # noqa: F401  (puts common/ on the path)
from bench_checkout import BenchCheckout

from course import ncu
from evidence import records, times
from evidence.counters import COUNTERS

LOADS = COUNTERS["shared_load_wavefronts"].metric
FFMA = COUNTERS["multiply_adds"].metric
ISSUE = COUNTERS["issue_active"].metric
DURATION = COUNTERS["duration"].metric
PAGE = f'''==PROF== Connected to process 7
"ID","Kernel Name","{DURATION}","{ISSUE}","{LOADS}"
"","","ns","%",""
"0","one(float *, ""x"")","74,112","55.5","12,582,912"
'''
NAMES = ("duration", "issue_active", "shared_load_wavefronts", "multiply_adds")
WANTED = {name: (COUNTERS[name].metric, COUNTERS[name].unit) for name in NAMES}
DENIED = (
    "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
    "Performance Counters on the target device 0. For instructions see https://x/y"
)

# ncu: writes its page for a rung's program, or says why it cannot.
_NCU = """\
echo "ncu $@" >> "$STANDIN_LOG"
if [ -n "$STANDIN_DENIED" ]; then echo "$STANDIN_DENIED"; exit 1; fi
while [ $# -gt 0 ]; do case $1 in --log-file) shift; out=$1;; esac; shift; done
cat "$0.page" > "$out"
"""


class Page(unittest.TestCase):
    def test_counters_are_found_by_their_metrics_names(self):
        found = ncu.counters(PAGE, WANTED)
        expected = {"duration": 74.112, "issue_active": 55.5, "shared_load_wavefronts": 12582912}
        self.assertEqual(found, expected)

    def test_of_several_kernels_sums_are_added_and_ratios_are_the_longest_ones(self):
        page = PAGE + '"1","two()","1,000","10","8"\n'
        sums = {"duration": 75.112, "shared_load_wavefronts": 12582920}
        self.assertEqual(ncu.counters(page, WANTED), {**sums, "issue_active": 55.5})
        page = page.replace('"1,000"', '"174,112"')
        self.assertEqual(ncu.counters(page, WANTED)["issue_active"], 10)

    def test_without_durations_there_is_no_ratio_of_several_kernels(self):
        page = PAGE.replace(DURATION, "other") + '"1","two()","1,000","10","8"\n'
        self.assertEqual(ncu.counters(page, WANTED), {"shared_load_wavefronts": 12582920})

    def test_a_part_of_a_metric_is_found_among_its_parts(self):
        page = (
            f'"ID","Kernel Name","{DURATION}","sass__inst_executed_per_opcode"\n'
            '"","","ns","inst"\n'
            '"0","one()","9","3,000 (BAR: 1,024; BARX: 7; IMAD: 1,976)"\n'
            '"1","two()","9","12 (EXIT: 12)"\n'
        )
        metric = COUNTERS["barriers"].metric
        wanted = {"barriers": (metric, ""), "all": ("sass__inst_executed_per_opcode", "")}
        self.assertEqual(ncu.counters(page, wanted), {"barriers": 1024, "all": 3000})
        self.assertEqual(ncu.counters(page.replace("(EXIT: 12)", ""), wanted), {"all": 3000})
        line = ncu.command([metric, DURATION], "log", ["program"])
        self.assertIn("sass__inst_executed_per_opcode,gpu__time_duration.sum", line)
        self.assertEqual(line[line.index("--print-metric-instances") + 1], "details")
        self.assertNotIn("details", ncu.command([DURATION], "log", ["program"]))

    def test_a_counter_that_one_launch_lacks_is_left_out(self):
        self.assertNotIn("issue_active", ncu.counters(PAGE.replace("55.5", "n/a"), WANTED))

    def test_no_page_gives_no_counters_and_the_reason(self):
        self.assertEqual(ncu.counters("==PROF== Connected\n", WANTED), {})
        self.assertTrue(
            ncu.reason(f"==PROF== x\n{DENIED}\nthe end\n").startswith("ERR_NVGPUCTRPERM")
        )
        self.assertEqual(ncu.reason("==ERROR== No kernels were profiled.\n"),
                         "No kernels were profiled")  # fmt: skip
        self.assertEqual(ncu.reason(""), "it said nothing")


class Counters(BenchCheckout):
    def setUp(self):
        super().setUp()
        for name in ("first", "second", "aside"):
            self.stand_in(self.places.bin / f"demo-{name}", "exit 0\n")
        self.tools = self.folder / "tools"
        self.stand_in(self.tools / "ncu", _NCU)
        header = f'"ID","Kernel Name","{FFMA}","{LOADS}"\n"","","",""\n'
        page = header + '"0","k(float *)","262,144","4,096"\n'
        (self.tools / "ncu.page").write_text(page, encoding="ascii")

    def counted(self, *arguments, **more):
        path = f"{self.tools}:/usr/bin:/bin"
        arguments = ("--counters", "--rounds", "1", "--json", "out.json", *arguments)
        done = self.bench(*arguments, check=0, env={"PATH": path, **more})
        return done, records.load_record(self.folder / "out.json")

    def test_each_rung_is_asked_once_and_kept(self):
        _, record = self.counted()
        asked = [line for line in self.called() if line.startswith("ncu ")]
        self.assertEqual(len(asked), 3)
        self.assertIn(f"--metrics {LOADS},{FFMA} ", asked[0])
        self.assertTrue(asked[0].endswith("build/bin/demo-first --profile --device gpu"))
        expected = {"multiply_adds": 262144, "shared_load_wavefronts": 4096}
        self.assertEqual(times.row(record, "second")["counters"], expected)
        self.assertNotIn("counters", times.row(record, "lib"))
        self.assertNotIn("counters", times.row(record, "second (again)"))

    def test_a_refusal_is_asked_for_once_and_said_of_every_rung(self):
        done, record = self.counted(STANDIN_DENIED=DENIED)
        self.assertEqual(len([line for line in self.called() if line.startswith("ncu ")]), 1)
        for name in ("first", "second", "aside"):
            self.assertIn("ERR_NVGPUCTRPERM", times.row(record, name)["counters"]["missing"])
        self.assertIn("missing: first, second, aside: counters: ", " ".join(done.stdout.split()))

    def test_without_ncu_the_row_says_so(self):
        (self.tools / "ncu").unlink()
        if ncu.find():
            self.skipTest("there is an ncu here")
        _, record = self.counted()
        missing = times.row(record, "first")["counters"]["missing"]
        self.assertEqual(missing, "ncu (Nsight Compute) is not on PATH")

    def test_a_program_that_is_not_there_leaves_its_own_gap(self):
        (self.places.bin / "demo-second").unlink()
        _, record = self.counted()
        self.assertIn(
            "demo-second is not there", times.row(record, "second")["counters"]["missing"]
        )
        self.assertIn("multiply_adds", times.row(record, "first")["counters"])

    def test_a_record_that_is_kept_needs_every_program(self):
        (self.places.bin / "demo-second").unlink()
        words = "build/bin/demo-second is not there, and --counters runs it"
        self.refused(2, words, "--counters", "--save", "made-up")
        self.assertEqual(self.requests("measure"), [])

    def test_a_counter_that_there_is_not_is_refused_first(self):
        path = self.root / "lessons" / "demo" / "ladder.json"
        settings = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**settings, "counters": ["heat"]}), encoding="utf-8")
        self.refused(2, "there is no counter 'heat'", "--counters")
        self.assertEqual(self.called(), [])


if __name__ == "__main__":
    unittest.main()
