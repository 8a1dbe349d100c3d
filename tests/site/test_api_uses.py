"""Which public names a lesson's source names: by their full names, behind an alias, or wrongly."""

import unittest

import small_site  # noqa: F401  (puts docs/_ext and common on the path)
from rungs_site import api_uses
from rungs_site.api_uses import PEERS, PROBLEM, Use

from evidence import EvidenceError

PUBLIC = {
    "common/rung/rung.hpp": [("enum", "rungs::Kind"), ("class", "rungs::Rung")],
    "common/rung/stop.hpp": [("function", "rungs::refuse(const std::string &)")],
    "common/check/operation.hpp": [("function", "rungs::refuse(int)")],
    "common/peers/cublas.hpp": [("enum", "rungs::cublas::Math"), ("class", "rungs::cublas::Sgemm")],
    "lessons/toy/toy.hpp": [("function", "toy::problem()")],
}
KNOWN = {name: name for name in api_uses.headers_of(PUBLIC)}
KNOWN["rungs::cublas::exact"] = "rungs::cublas::Math"


def named(text):
    return api_uses.named(text, KNOWN, "toy.cu")


class Named(unittest.TestCase):
    def test_a_name_with_what_is_inside_it(self):
        self.assertEqual(named("const rungs::Rung rung = {rungs::Kind::kept};"),
                         {"rungs::Rung", "rungs::Kind"})  # fmt: skip

    def test_comments_strings_and_other_namespaces_name_nothing(self):
        text = '// rungs::Rung\nconst char* s = "rungs::Kind"; toy::rungs x; std::Rung y; a.rungs;'
        self.assertEqual(named(text), set())

    def test_a_name_behind_an_alias_and_a_value_without_its_enumeration(self):
        text = "namespace blas = rungs::cublas; using S = Sgemm<blas::exact>; blas::Sgemm s;"
        self.assertEqual(named(text), {"rungs::cublas::Math", "rungs::cublas::Sgemm"})
        self.assertEqual(named("blas::Sgemm s;"), set())

    def test_a_name_that_no_header_declares_is_refused(self):
        for text in ("rungs::Rang x;", "namespace b = rungs::cublas; b::Nothing x;"):
            with self.assertRaisesRegex(EvidenceError, "toy.cu names rungs::.*no header"):
                named(text)

    def test_a_name_of_two_headers_is_of_both(self):
        headers = api_uses.headers_of(PUBLIC)["rungs::refuse"]
        self.assertEqual(headers, ["common/rung/stop.hpp", "common/check/operation.hpp"])


class Users(unittest.TestCase):
    def text(self, files, rungs):
        return api_uses.users_text(Use("h", "rungs::Rung", "toy", files, rungs), all_rungs=2)

    def test_who_names_it_is_said_in_words(self):
        self.assertEqual(self.text((PROBLEM,), ()), ("the problem header", ()))
        self.assertEqual(self.text((PROBLEM,), ("a",)), ("the problem header", ("a",)))
        self.assertEqual(self.text((), ("a", "b")), ("every rung", ()))
        every = self.text((PROBLEM, PEERS), ("a", "b"))
        self.assertEqual(every, ("every rung, the problem header and the peers", ()))


if __name__ == "__main__":
    unittest.main()
