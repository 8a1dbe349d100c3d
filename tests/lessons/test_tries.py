"""Each rung's try.patch: it applies, it builds, and the CPU device counts what its head says."""

import unittest
from concurrent.futures import ThreadPoolExecutor

import patched
from programs import REPO

from evidence import EvidenceError, lessons, numbers, tries

AT_ONCE = 2  # a compiler each
RUNGS = [rung for ladder in lessons.ladders(REPO) for rung in lessons.rungs(REPO, ladder)]


def held(rung):
    """Build and run one rung's try; return what is wrong with it, a sentence each."""
    try:
        tried = tries.load(tries.path_of(rung))
        done, document = patched.run(rung, tried.patch, tried.needs_machine_code)
        if tried.refusal is not None:
            return refused(done, tried)
        if document is None:
            return [f"exit code {done.returncode}: {done.stdout}{done.stderr}"]
        return moved(tried.changes, patched.counts(document))
    except (EvidenceError, patched.Stopped) as error:
        return [str(error)]


def moved(changes, counts):
    """Return what did not become of the counts what a try says."""
    found = [(change, numbers.look_up(counts, change.path)) for change in changes]
    return [
        f"{change.path} becomes {value}, not {change.after}"
        for change, value in found
        if not tries.same(change.after, value)
    ]


def refused(done, tried):
    """Return what is wrong with how a kernel was refused."""
    said = done.stdout + done.stderr
    if done.returncode != 1:
        return [f"exit code {done.returncode}, where a failed check has 1: {said}"]
    return [] if tried.is_refused_by(said) else [f"does not say {tried.refusal!r}: {said}"]


class Tries(unittest.TestCase):
    def test_every_rung_has_one(self):
        missing = [rung.key for rung in RUNGS if not tries.path_of(rung).exists()]
        self.assertEqual(missing, [])

    def test_each_does_what_its_head_says(self):
        if why := patched.missing():
            self.skipTest(why)
        rungs = [rung for rung in RUNGS if tries.path_of(rung).exists()]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for rung, wrong in zip(rungs, pool.map(held, rungs), strict=True):
                with self.subTest(rung.key):
                    self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
