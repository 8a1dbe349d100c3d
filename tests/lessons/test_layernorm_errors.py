"""What the variance of each rung costs in accuracy, over the other inputs of ladder.json."""

import json
import subprocess
import sys
import unittest

from programs import BIN, REPO, rung_names

sys.path.insert(0, str(REPO / "common"))

from evidence import ladder_settings  # noqa: E402

SHAPE = [64, 768]
ONE_PASS = {"two-warps", "four-warps"}  # mean square less squared mean

# The mean of 768 values of this size is off by about so much of a deviation, whoever sums it.
STEP = {"mean 0": 1e-7, "mean 10": 1e-6, "mean 100": 1e-5, "mean 1000": 1e-4, "mean 10000": 1e-3}


class Errors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Ask the ladder's program for the error of every rung over every range."""
        cls.names = rung_names("layernorm")
        cls.inputs = ladder_settings.load(REPO, "layernorm").accuracy
        requests = []
        for one in cls.inputs:
            requests.append({"do": "open", "shape": SHAPE, "ranges": one.ranges})
            requests += [{"do": "check", "variant": name} for name in cls.names]
        done = subprocess.run(
            [BIN / "layernorm", "--worker", "--device", "cpu"],
            input="".join(json.dumps(request) + "\n" for request in requests),
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        cls.errors, each = {}, len(cls.names) + 1
        for number, one in enumerate(cls.inputs):
            for name, answer in zip(cls.names, answers[number * each + 1 :], strict=False):
                error = answer["shapes"][0]["max_relative_error"]
                cls.errors.setdefault(name, {})[one.name] = error

    def test_the_inputs_have_deviation_one_about_their_means(self):
        self.assertEqual([one.name for one in self.inputs], list(STEP))
        for one in self.inputs:
            low, high = one.ranges["X"]
            self.assertAlmostEqual((low + high) / 2, float(one.name.split()[1]), 4)
            self.assertAlmostEqual((high - low) / 12**0.5, 1, 6)

    def test_two_passes_and_merged_moments_lose_no_more_than_the_mean_does(self):
        for name in set(self.names) - ONE_PASS:
            for inputs, step in STEP.items():
                with self.subTest(rung=name, inputs=inputs):
                    self.assertLess(self.errors[name][inputs], 8 * step)

    def test_one_pass_loses_the_square_of_the_mean(self):
        for name in ONE_PASS:
            with self.subTest(name):
                found = self.errors[name]
                self.assertLess(found["mean 0"], 8 * STEP["mean 0"])
                for small, large in (("mean 10", "mean 100"), ("mean 100", "mean 1000")):
                    self.assertGreater(found[large], 30 * found[small])
                self.assertGreater(found["mean 1000"], 0.05)
                self.assertGreater(found["mean 10000"], 10)


if __name__ == "__main__":
    unittest.main()
