"""How machine code is counted, on instructions made up for it and on the ladder's own."""

import json
import sys
import unittest

from programs import BIN, REPO

sys.path.insert(0, str(REPO / "common"))

from machine_code import counting, document, in_flight  # noqa: E402
from machine_code.disassembly import Instruction, parse_usage  # noqa: E402


def code(*lines):
    """Return instructions from lines such as "@!PT LDS.128 R0 [R1]"."""
    found = []
    for line in lines:
        words = line.split()
        predicate = words.pop(0) if words[0].startswith("@") else ""
        found.append(Instruction(words[0], ",".join(words[1:]), predicate))
    return found


class Counting(unittest.TestCase):
    def test_loads_and_stores_are_told_apart_by_width(self):
        found = code("LDS R0 [R1]", "LDS.64 R0 [R1]", "LDS.U.128 R0 [R1]", "STG.E.128 [R1] R0")
        found += code("LDG.E.U8 R0 [R1]", "STS.U16 [R1] R0", "FFMA.FTZ R0 R1", "BAR.SYNC 0x0")
        self.assertEqual(
            counting.by_opcode_and_width(found),
            {
                "BAR": 1,
                "FFMA": 1,
                "LDG.8": 1,
                "LDS.128": 1,
                "LDS.32": 1,
                "LDS.64": 1,
                "STG.128": 1,
                "STS.16": 1,
            },
        )
        self.assertEqual(counting.by_opcode(found)["LDS"], 3)

    def test_what_is_switched_off_does_not_count(self):
        found = code("@!PT LDS RZ [RZ]", "@!P0 LDS R0 [R1]", "@PT LDS R0 [R1]")
        self.assertEqual(counting.by_opcode_and_width(found), {"LDS.32": 2})
        self.assertEqual(counting.count(found, "LDS"), 2)

    def test_local_memory_is_counted_in_bytes(self):
        found = code("STL.128 [R1] R4", "STL [R1] R4", "@!PT STL [R1] R4", "LDL.64 R4 [R1]")
        self.assertEqual(counting.moved_bytes(found, "STL"), 20)
        self.assertEqual(counting.moved_bytes(found, "LDL"), 8)

    def test_the_hottest_loop_is_the_innermost_with_the_most_multiply_adds(self):
        found = code(
            "MOV R0 R1",  # 0x00
            "FFMA R0 R1",  # 0x10, the outer loop's start
            "FFMA R0 R1",
            "FFMA R0 R1",
            "IADD3 R0 R1",  # 0x40, a loop with one multiply-add
            "FFMA R0 R1",
            "@P0 BRA 0x40",
            "LDS R0 [R1]",  # 0x70, a loop with two
            "FFMA R0 R1",
            "FFMA R0 R1",
            "@!P1 BRA 0x70",
            "@P2 BRA 0x10",
            "@P3 BRA 0xe0",  # forwards
            "EXIT",
            "BRA 0xe0",  # to itself: the end of every kernel
        )
        self.assertEqual(counting.hottest_loop(found), (7, 10))

    def test_a_kernel_without_a_loop_is_taken_whole(self):
        self.assertEqual(counting.hottest_loop(code("FFMA R0 R1", "EXIT", "BRA 0x20")), (0, 2))

    def test_the_systems_share_of_shared_memory_is_left_out(self):
        usage = " Function _Z1kPf:\n  REG:32 STACK:8 SHARED:3072 LOCAL:0 CONSTANT[0]:560\n"
        self.assertEqual(parse_usage(usage), {"_Z1kPf": (32, 8, 2048)})
        none = usage.replace("SHARED:3072", "SHARED:0")  # so of a kernel that has none of its own
        self.assertEqual(parse_usage(none), {"_Z1kPf": (32, 8, 0)})


class InFlight(unittest.TestCase):
    def most(self, *lines):
        return in_flight.bytes_in_flight(code(*lines))

    def test_a_load_is_under_way_until_one_of_its_registers_is_named(self):
        quad = ("LDG.E.128 R4 desc[UR6][R2.64]", "LDG.E.64 R8 desc[UR6][R2.64+0x10]")
        self.assertEqual(self.most(*quad, "LDG.E R10 [R2.64]"), 16 + 8 + 4)
        self.assertEqual(self.most(*quad, "FADD R0 R0 -R7.reuse", "LDG.E.64 R10 [R2.64]"), 24)
        self.assertEqual(self.most(*quad, "FADD R0 R0 |R10|", "LDG.E.64 R12 [R2.64]"), 32)
        self.assertEqual(self.most(*quad, "MOV R9 R0", "LDG.E.U8 R10 [R2.64]"), 24)  # overwritten
        self.assertEqual(self.most(*quad, "IADD3 R0 R1 UR4", "LDG.E.U8 R10 [R2.64]"), 25)

    def test_stores_and_addresses_name_more_registers_than_they_write_out(self):
        load, more = "LDG.E R7 [R2.64]", "LDG.E R8 [R2.64]"
        self.assertEqual(self.most(load, "STG.E.128 [R2.64] R4", more), 4)
        self.assertEqual(self.most(load, "STS.64 [R0] R4", more), 8)
        self.assertEqual(self.most(load, "LDG.E R9 [R6.64]", more), 8)
        self.assertEqual(self.most(load, "LDS R9 [R6]", more), 8)
        self.assertEqual(self.most(load, "IMAD.WIDE R10 R0 0x4 R6", more), 4)

    def test_what_is_switched_off_loads_nothing(self):
        load = "LDG.E.128 R4 [R2.64]"
        self.assertEqual(self.most(f"@!PT {load}"), 0)
        self.assertEqual(self.most(f"@!P0 {load}"), 16)

    def test_a_loop_counts_in_its_steady_state(self):
        found = self.most(
            "LDG.E.128 R4 [R2.64]",  # 0x00, the first turn's, and two more, once
            "LDG.E.128 R20 [R2.64]",
            "LDG.E.128 R24 [R2.64]",
            "MOV R12 R4",  # 0x30, the loop: the next turn's is asked for before this one's is used
            "LDG.E.128 R4 [R2.64]",
            "LDG.E R16 [R2.64]",
            "FADD R0 R0 R12",
            "@P0 BRA 0x30",
            "FADD R0 R0 R16",
            "EXIT",
        )
        self.assertEqual(found, 16 + 4)

    def test_loads_of_a_kernel_whose_loops_load_nothing_count(self):
        loop = ("FADD R0 R0 R1", "@P0 BRA 0x10")
        self.assertEqual(self.most("LDG.E R4 [R2.64]", *loop, "LDG.E R5 [R2.64]"), 8)

    def test_code_that_is_set_aside_behind_the_end_is_no_loop(self):
        found = self.most(
            "LDG.E.128 R4 [R2.64]",  # 0x00
            "FADD R0 R0 R4",
            "LDG.E R8 [R2.64]",  # 0x20, where the code behind the end leads back to
            "EXIT",
            "BRA 0x20",
        )
        self.assertEqual(found, 16)

    def test_asynchronous_copies_are_under_way_until_their_group_is_waited_for(self):
        copy, close = "LDGSTS.E.BYPASS.128 [R0] desc[UR4][R2.64]", "LDGDEPBAR"
        two = (copy, close, copy, copy, close)
        self.assertEqual(self.most(*two, "DEPBAR.LE SB0 0x1", copy), 32 + 16)
        self.assertEqual(self.most(*two, "DEPBAR.LE SB0 0x0", copy), 48)
        self.assertEqual(self.most(*two, copy, "FADD R0 R0 R2"), 64)
        loop = ("MOV R9 R9", copy, close, "DEPBAR.LE SB0 0x2", "@P0 BRA 0x10")
        self.assertEqual(self.most(*loop), 3 * 16)

    def test_the_ladders_are_as_one_reads_them(self):
        # By hand, from the machine code. Where the last pass of a row reads X, gamma and beta, five
        # of its nine quads are asked for before the first one is used; four with Chan's rule.
        for rung, expected in (
            ("layernorm/baseline", 3 * 4),
            ("layernorm/one-warp", 5 * 16),
            ("layernorm/two-warps", 5 * 16),
            ("layernorm/chan", 4 * 16),
            ("layernorm/staged-row", 3 * 16),
            ("layernorm/eight-quads", 8 * 16),  # no loop: a row's eight, predicates aside
            ("layernorm/persistent", 6 * 16),  # the next row; the first one, gamma and beta once
            ("reduction/tree", 4),
            ("reduction/in-flight", 4 * 4),  # the loop's four, not the remainder's one
            ("reduction/last-block", 4 * 16),
        ):
            counted = json.loads((BIN / "machine-code" / f"{rung}.json").read_text("utf-8"))
            if "missing" in counted:
                self.skipTest(counted["missing"])
            found = max(kernel["bytes_in_flight"] for kernel in counted["kernels"])
            self.assertEqual(found, expected, rung)


class Documents(unittest.TestCase):
    def kernel(self, **loop):
        counts = {name.replace("_", "."): count for name, count in loop.items()}
        return {"hottest_loop": {"by_opcode_and_width": counts}}

    def test_reads_are_those_of_the_kernel_with_the_most_multiply_adds(self):
        kernels = [self.kernel(FFMA=8, LDS_32=8), self.kernel(FFMA=512, LDS_128=32, LDS_32=128)]
        self.assertEqual(document.reads_per_multiply_add(kernels), 0.3125)

    def test_there_is_no_ratio_without_multiply_adds(self):
        self.assertIsNone(document.reads_per_multiply_add([self.kernel(LDS_32=4)]))
        self.assertIsNone(document.reads_per_multiply_add([]))

    def test_names_are_demangled(self):
        self.assertEqual(
            document.demangle("_ZN6matmul3k646kernelEPf"), "matmul::k64::kernel(float*)"
        )
        self.assertEqual(document.demangle("plain_c_name"), "plain_c_name")

    def test_the_transposed_tile_reads_two_quads_for_sixteen_multiply_adds(self):
        path = BIN / "machine-code" / "matmul" / "transposed-a.json"
        counted = json.loads(path.read_text(encoding="utf-8"))
        if "missing" in counted:
            self.skipTest(counted["missing"])
        (kernel,) = counted["kernels"]
        loop = kernel["hottest_loop"]["by_opcode_and_width"]
        self.assertEqual((loop["LDS.128"], loop["FFMA"]), (64, 512))
        self.assertNotIn("LDS.32", loop)
        self.assertEqual(kernel["shared_bytes"], 16896)


if __name__ == "__main__":
    unittest.main()
