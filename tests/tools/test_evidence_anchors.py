"""Anchors name one number of a record, and a text shows it or is written anew."""

import copy
import unittest

import documents  # noqa: F401  (puts common/ on the path)
import made_up_record
import support

from evidence import EvidenceError, anchors, claims, published, records, times
from evidence.anchors import Number
from evidence.numbers import NumberError

RECORD = made_up_record.record()
SWEEP = made_up_record.record(sizes=[512, 1024])


class Measured(unittest.TestCase):
    def of(self, anchor, record=RECORD):
        found = anchors.resolve(record, anchor)
        return round(found.value, 6), found.unit, found.instrument

    def test_times_by_every_instrument(self):
        row = times.row(RECORD, "second")
        low, high = times.find(row).interval.low, times.find(row).interval.high
        for anchor, value, instrument in (
            ("second/kernel", 116.0, "kernel"),
            ("#second/span", 123.0, "span"),
            ("second/kernel-cold", 117.5, "kernel-cold"),
            ("second/graph-10", 116.3, "graph-10"),
            ("second/submit", 4.0, "submit"),
            ("library/kernel", 55.5, "kernel"),
            ("second/low", low, "kernel"),
            ("second/kernel/high", high, "kernel"),
        ):
            self.assertEqual(self.of(anchor), (round(value, 6), "us", instrument), anchor)

    def test_what_follows_from_times(self):
        for anchor, value, unit in (
            ("second/factor", 345 / 116, "x"),
            ("second/factor-of/library", 55.5 / 116, "x"),
            ("aside/factor", 345 / 225, "x"),
            ("second/tflops", 2 * 1024**3 / 116e-6 / 1e12, "TFLOP/s"),
            ("second/tbps", 12 * 1024**2 / 116e-6 / 1e12, "TB/s"),
            ("second/of-peer/library", 100 * 55.5 / 116, "%"),
            ("second/of-floor/floor-ffma", 100 * 33 / 116, "%"),
        ):
            self.assertEqual(self.of(anchor), (round(value, 6), unit, "kernel"), anchor)
        step = claims.step(RECORD, "second")
        self.assertLess(step.low, step.high)
        for end in ("low", "high"):
            self.assertEqual(
                self.of(f"second/factor/{end}"), (round(getattr(step, end), 6), "x", "kernel")
            )
        self.assertEqual(self.of("noise"), (0.2, "%", "kernel"))
        self.assertEqual(self.of("noise/span")[1:], ("%", "span"))

    def test_a_kernel_of_several_has_its_part(self):
        record = copy.deepcopy(RECORD)
        time = times.find(times.row(record, "second"))
        (whole,) = time.kernels
        names = ("void demo::sum<4>(float const*)", "demo::finish(float*)", "demo::finish()")
        found = [t for t in times.row(record, "second")["times"] if t["instrument"] == "kernel"]
        for one in found:
            one["kernels"] = [
                {**whole, "name": name, "rounds": [[s * part for s in r] for r in one["rounds"]]}
                for name, part in zip(names, (0.5, 0.3, 0.2), strict=True)
            ]
        for anchor, value in (
            ("second/kernel/sum", 58.0),
            ("second/kernel/finish", 34.8),
            ("second/kernel/finish-2", 23.2),
            ("second/kernel-cold/sum", 58.75),
            ("second/kernel", 116.0),
            ("second/kernel/sum/low", 0.5 * time.interval.low),
        ):
            self.assertEqual(self.of(anchor, record)[:2], (round(value, 6), "us"), anchor)
        every = dict(anchors.every(record))
        self.assertEqual(every["second/kernel/sum"].interval.low,
                         every["second/kernel/sum/low"].value)  # fmt: skip
        self.assertNotIn("first/kernel/kernel", every)  # its one kernel is the whole
        for anchor in ("second/kernel/other", "second/kernel/sum/middle", "second/span/sum"):
            with self.assertRaisesRegex(NumberError, f"has no '{anchor}'"):
                self.of(anchor, record)

    def test_a_kernels_own_name(self):
        for name, own in (
            ("void reduction::tree::tree_pass<8, true>(float const*, float*)", "tree_pass"),
            ("layernorm::chan::kernel(layernorm::Operands)", "kernel"),
            ("void (anonymous namespace)::fill(int (*)(float))", "fill"),
            ("void at::native::reduce<512, at::Op<float, 4>, f(int)::{lambda(int)#1}>(X<(Y)1>)",
             "reduce"),
            ("triton_red_fused_sum_0", "triton_red_fused_sum_0"),
        ):  # fmt: skip
            self.assertEqual(times.kernel_name(name), own)

    def test_what_was_checked_counted_and_predicted(self):
        for anchor, found in (
            ("second/error", (1e-6, "", "check")),
            ("second/counters/shared_load_wavefronts", (25165824, "wavefronts", "counters")),
            ("second/registers", (48, "registers", "resources")),
            ("second/shared-bytes", (16384, "B", "resources")),
            ("second/blocks-per-sm", (5, "blocks", "resources")),
            ("third/expected/reads", (1.6, "x", "counts")),
        ):
            self.assertEqual(self.of(anchor), found, anchor)

    def test_an_error_over_other_inputs(self):
        draft = made_up_record.draft()
        made_up_record.accuracy(draft, ("mean 10", 10), ("ones", 1))
        gone = {"name": "third", "missing": "third: too wide"}
        draft["accuracy"][1]["rows"][2] = gone
        record = made_up_record.measured.finish(draft)
        for anchor, value in (
            ("first/error/mean-10", 1e-6),
            ("second/error/mean-10", 2e-6),
            ("1024x1024x1024/second/error/ones", 2e-7),
            ("first/error", 5.7e-7),
        ):
            found = anchors.resolve(record, anchor)
            self.assertEqual((found.value, found.unit, found.instrument), (value, "", "check"))
        every = dict(anchors.every(record))
        self.assertEqual(every["library/error/mean-10"].value, 1e-6)
        self.assertNotIn("third/error/ones", every)
        self.assertNotIn("floor-ffma/error/ones", every)
        for anchor, words in (
            ("first/error/mean-11", "no errors over 'mean-11'; there is mean-10, ones"),
            ("third/error/ones", "'third/error/ones' was not measured: third: too wide"),
            ("floor-ffma/error/ones", "'floor-ffma/error/ones' was not measured"),
        ):
            with self.assertRaisesRegex(NumberError, words):
                anchors.resolve(record, anchor)
        with self.assertRaisesRegex(NumberError, "no errors over 'ones'; there are none"):
            anchors.resolve(RECORD, "first/error/ones")

    def test_a_size_of_several_stands_before(self):
        scale = (512 / 1024) ** 3
        self.assertEqual(self.of("512x512x512/second/kernel", SWEEP)[0], round(116 * scale, 6))
        self.assertEqual(self.of("1024x1024x1024/second/kernel", SWEEP)[0], 116.0)
        self.assertEqual(self.of("1024x1024x1024/second/kernel")[0], 116.0)
        with self.assertRaisesRegex(EvidenceError, "holds 2 shapes; name one"):
            anchors.resolve(SWEEP, "second/kernel")

    def test_what_names_nothing_is_refused(self):
        for anchor, words in (
            ("none/kernel", "no row 'none'"),
            ("second", "no 'second/'"),
            ("second/speed", "no 'second/speed'"),
            ("second/kernel/middle", "no 'second/kernel/middle'"),
            ("second/awaited", "'second/awaited' was not measured"),
            ("second/counters/registers", "'second/counters/registers' was not measured"),
            ("second/counters/none", "no 'second/counters/none'"),
            ("second/expected/wavefronts", "was not measured"),
            ("first/factor", "'first/factor' was not measured"),
            ("first/factor/low", "'first/factor/low' was not measured"),
            ("second/factor/middle", "no 'second/factor/middle'"),
            ("second/of-peer/first", "first is no peer"),
            ("second/of-floor/library", "library is no floor"),
            ("noise/awaited", "no variant was timed twice by 'awaited'"),
            ("", "no row ''"),
        ):
            with self.assertRaisesRegex(NumberError, words, msg=anchor):
                anchors.resolve(RECORD, anchor)

    def test_what_is_missing_says_why(self):
        record = copy.deepcopy(RECORD)
        times.row(record, "second")["times"][1] = {
            "instrument": "kernel", "cache": "warm", "batch": 1, "missing": "not permitted",
        }  # fmt: skip
        with self.assertRaisesRegex(NumberError, "'second/kernel' was not measured: not permitted"):
            anchors.resolve(record, "second/kernel")

    def test_every_anchor_resolves_to_what_it_stands_beside(self):
        for record, least in ((RECORD, 200), (SWEEP, 250)):
            found = dict(anchors.every(record))
            self.assertGreater(len(found), least)
            for anchor, number in found.items():
                self.assertEqual(anchors.resolve(record, anchor), number)


class Others(unittest.TestCase):
    def test_of_a_counts_record(self):
        record = records.load_counts(records.counts_path(support.REPO, "matmul"))
        found = anchors.resolve(record, "#transposed-a/ptx/shared_load_wavefronts")
        self.assertEqual(found, Number(12582912, "", "counts"))
        found = anchors.resolve(record, "transposed-a/expected/reads")
        self.assertEqual(found, Number(2.5, "x", "counts"))
        for anchor, number in (
            ("transposed-a/model/bytes", Number(138412032, "B", "counts")),
            ("transposed-a/model/launches", Number(1, "", "counts")),
            ("transposed-a/residency/fitting", Number(4, "", "counts")),
            ("transposed-a/residency/held", Number(2, "", "counts")),
            ("transposed-a/residency/threads", Number(512, "", "counts")),
            ("transposed-a/expected/resident-threads", Number(1.0, "x", "counts")),
        ):
            self.assertEqual(anchors.resolve(record, anchor), number, anchor)
        anchors.check("138.4 MB", anchors.resolve(record, "transposed-a/model/bytes"))
        listed = dict(anchors.computed(record, "baseline"))
        self.assertIn("model/bytes", listed)
        self.assertNotIn("model/barriers", listed)  # it stands in the counts as it is
        self.assertNotIn("expected/reads", listed)  # it comes after no rung
        for anchor, words in (
            ("k64/model/luck", "no model 'luck'"),
            ("k64/residency/luck", "no 'residency/luck'; there is fitting, held, threads"),
            ("none/ptx/barriers", "no rung 'none'"),
            ("k64/ptx/none", "no 'ptx/none'"),
            ("k64/expected/luck", "no model 'luck'"),
            ("baseline/expected/reads", "matmul/baseline comes after no rung"),
        ):
            with self.assertRaisesRegex(NumberError, words):
                anchors.resolve(record, anchor)

    def test_of_published_values(self):
        value = {"id": "a/span", "operation": "o", "variant": "v", "rung": None, "unit": "us",
                 "instrument": "span", "low": 13.3, "high": 13.7}  # fmt: skip
        exact = {**value, "id": "b", "value": 2.5}
        document = {"schema": "rungs-published/1", "study": "S", "values": [value, exact]}
        self.assertEqual(anchors.resolve(document, "a/span/high"), Number(13.7, "us", "span"))
        self.assertEqual(anchors.resolve(document, "b"), Number(2.5, "us", "span"))
        with self.assertRaisesRegex(NumberError, "S reports no 'a/span'"):
            anchors.resolve(document, "a/span")
        with self.assertRaisesRegex(NumberError, "schema 'other' has no anchors"):
            anchors.resolve({"schema": "other"}, "b")

    def test_every_published_value_has_its_anchor(self):
        for path in published.paths(support.REPO):
            document = published.load(path)
            for value in document["values"]:
                key = "value" if "value" in value else "low"
                anchor = value["id"] if key == "value" else f"{value['id']}/low"
                self.assertEqual(anchors.resolve(document, anchor).value, value[key])


class Texts(unittest.TestCase):
    TIME, PART = Number(74.123, "us", "kernel"), Number(0.23, "%", "kernel")

    def test_a_text_shows_a_number_at_its_own_precision(self):
        for text, number in (
            ("74.1 us", self.TIME),
            ("74.12 µs of kernel time", self.TIME),
            ("74", self.TIME),
            ("0.0741 ms", self.TIME),
            ("74,123 ns", self.TIME),
            ("2.62x", Number(2.6214, "x", "kernel")),
            ("1.13x", Number(1.125, "x", "counts")),
            ("0.2 %", self.PART),
            ("71 %", Number(71.4, "%", "kernel")),
            ("5.7e-7", Number(5.7e-7, "", "check")),
            ("25.2 million wavefronts", Number(25165824, "wavefronts", "counters")),
            ("19.0 TFLOP/s", Number(18.96, "TFLOP/s", "kernel")),
            ("444 GB/s", Number(0.4443, "TB/s", "kernel")),
            ("16 KiB", Number(16384, "B", "resources")),
        ):
            anchors.check(text, number)

    def test_a_text_that_does_not_is_refused(self):
        for text, number, words in (
            ("74.2 us", self.TIME, "'74.2 us' is not what the record holds: 74.12 us"),
            ("75 us", self.TIME, "is not what"),
            ("74.1 ms", self.TIME, "is not what"),
            ("70 us", Number(74.9, "us", "kernel"), "is not what"),
            ("74.1 TFLOP/s", self.TIME, "is in TFLOP/s, but what the record holds is in us"),
            ("74.1x", self.TIME, "is in x, but"),
            (
                "2.6 us",
                Number(2.6, "", "counts"),
                "is in us, but what the record holds has no unit",
            ),
            ("3 %", Number(3.4, "%", "kernel"), "is not what"),
            ("1e-6", Number(5.7e-7, "", "check"), "is not what"),
            ("1.12x", Number(1.125, "x", "counts"), "is not what the record holds: 1.125x"),
            ("about 74", self.TIME, "does not begin with a number"),
        ):
            with self.assertRaisesRegex(NumberError, words, msg=text):
                anchors.check(text, number)

    def test_a_number_is_written_in_the_style_of_a_text(self):
        for like, number, text in (
            ("80.1 us", self.TIME, "74.1 us"),
            ("0.0801 ms of kernel time", self.TIME, "0.0741 ms of kernel time"),
            ("1.56x", Number(2.6214, "x", "kernel"), "2.62x"),
            ("1.12x", Number(1.125, "x", "counts"), "1.13x"),
            ("0.62 us", Number(0.625, "us", "kernel"), "0.63 us"),
            ("12.6 million", Number(25165824, "", "counts"), "25.2 million"),
            ("12,582,912", Number(25165824, "", "counts"), "25,165,824"),
            ("12582912", Number(25165824, "", "counts"), "25165824"),
            ("999", Number(1234, "", "counts"), "1,234"),
            ("4.1e-7", Number(5.7e-7, "", "check"), "5.7e-7"),
            ("4.1e-7", Number(1.234e-12, "", "check"), "1.23e-12"),
            ("120 us", Number(7.4123, "us", "kernel"), "7.4 us"),
            ("1.2 %", self.PART, "0.2 %"),
            (" 80 us ", self.TIME, " 74 us "),
        ):
            self.assertEqual(anchors.text(number, like), text)
            anchors.check(text, number)

    def test_a_text_of_another_unit_cannot_be_written(self):
        for like in ("80.1 TFLOP/s", "1.2x", "some"):
            with self.assertRaises(NumberError):
                anchors.text(self.TIME, like)


if __name__ == "__main__":
    unittest.main()
