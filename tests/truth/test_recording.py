"""The converter reads what Nsight Compute and compute-sanitizer print, and keeps no paths."""

import sys
import unittest

from support import convert_recording, retained

from evidence import bank_rule

LOG = """==PROF== Connected to process 17 (/home/someone/build/bin/tests/access_patterns)
==PROF== Profiling "shared_load": 0%....100% - 2 passes
"ID","Host Name","Kernel Name","smsp__inst_executed.sum","launch__registers_per_thread"
"","","","inst","register/thread"
"0","box","void shared_load<16>(Result *)","1,234","16"
"1","box","void shared_load<16>(Result *)","7","n/a"
"""


class ConverterTest(unittest.TestCase):
    def test_rows_are_the_launches(self):
        rows = convert_recording.ncu_rows(LOG)
        self.assertEqual([row["ID"] for row in rows], ["0", "1"])
        self.assertEqual(convert_recording.counters(rows[0]),
                         {"warp_instructions": 1234, "registers": 16})  # fmt: skip
        self.assertEqual(convert_recording.counters(rows[1]), {"warp_instructions": 7})

    def test_a_log_without_rows_gives_none(self):
        self.assertEqual(convert_recording.ncu_rows("==ERROR== no permission\n"), [])

    def test_findings_have_no_paths_and_no_addresses(self):
        said = "========= Invalid __global__ read of size 4 at f+0x70 in /home/x/y.cu:12\n"
        found = convert_recording.findings({"stdout": said + said + "========= Host Frame: /a\n"})
        self.assertEqual(found, ["Invalid __global__ read of size 4 at f+0x... in y.cu:12"])

    def test_the_source_hash_ignores_comments_and_spaces_alone(self):
        code = retained.code_only
        self.assertEqual(code("int a; // one\n/* two */ int  b;"), code("int a;int b;"))
        self.assertNotEqual(code('f("a b")'), code('f("ab")'))
        self.assertEqual(code('f("// no comment")'), 'f("// no comment")')

    def test_patterns_are_read_with_their_idle_lanes(self):
        offsets = ",".join(["0", "-"] * 16)
        (pattern,) = retained.parse_patterns(f"shared_load_16/odd\t16\t1\t2\t{offsets}\n")
        self.assertEqual((pattern.space, pattern.direction), ("shared", "load"))
        self.assertEqual(pattern.offsets[:2], [0, None])
        (pattern,) = retained.parse_patterns(f"global_load_nc_4/x\t4\t1\t1\t{offsets}\n")
        self.assertEqual((pattern.space, pattern.direction), ("global", "load"))


class RuleTest(unittest.TestCase):
    """The written rule on accesses whose answer the rule's words give by hand."""

    def test_shared(self):
        stride = [lane * 4 for lane in range(32)]
        self.assertEqual(bank_rule.shared(stride, 4, "load"), (1, 0))
        self.assertEqual(bank_rule.shared([128 * lane for lane in range(32)], 4, "load"), (32, 31))
        self.assertEqual(bank_rule.shared([0] * 32, 16, "load"), (2, 0))
        self.assertEqual(bank_rule.shared([0] * 32, 16, "store"), (4, 0))
        quads = [16 * lane for lane in range(32)]
        self.assertEqual(bank_rule.shared(quads, 16, "load"), (4, 0))
        pairs = [16 * (lane // 2) for lane in range(32)]
        self.assertEqual(bank_rule.shared(pairs, 16, "load"), (2, 0))
        self.assertEqual(bank_rule.shared([None] * 31 + [8], 8, "load"), (1, 0))

    def test_each_lane_has_its_words_phase_and_wavefront(self):
        two_rows = [0 if lane < 16 else 128 for lane in range(32)]
        found = bank_rule.requests(two_rows, 4, "load")
        self.assertEqual([r.lane for r in found], list(range(32)))
        self.assertEqual({(r.word, r.bank, r.wavefront) for r in found}, {(0, 0, 0), (32, 0, 1)})
        self.assertEqual([r.is_conflict for r in found], [False] * 16 + [True] * 16)
        quads = bank_rule.requests([16 * lane for lane in range(32)], 16, "store")
        self.assertEqual([r.word for r in quads], list(range(128)))
        self.assertEqual([r.phase for r in quads], [r.lane // 8 for r in quads])
        self.assertEqual([r.wavefront for r in quads], [r.phase for r in quads])
        (idle,) = bank_rule.requests([None] * 31 + [8], 4, "load")
        self.assertEqual((idle.lane, idle.word, idle.wavefront), (31, 2, 0))

    def test_each_byte_of_a_sector_has_the_lane_that_asks_for_it(self):
        first, second = bank_rule.sector_uses([28, None, 32, 32], 8)
        self.assertEqual((first.sector, first.lanes), (0, dict.fromkeys(range(28, 32), 0)))
        self.assertEqual(second.lanes, {0: 0, 1: 0, 2: 0, 3: 0, 4: 2, 5: 2, 6: 2, 7: 2})

    def test_sectors(self):
        self.assertEqual(bank_rule.sectors([lane * 4 for lane in range(32)], 4), 4)
        self.assertEqual(bank_rule.sectors([4 + lane * 4 for lane in range(32)], 4), 5)
        self.assertEqual(bank_rule.sectors([None] * 31 + [0], 16), 1)


if __name__ == "__main__":
    sys.exit(unittest.main())
