"""Each heading of the guide to messages is really part of a message that a source prints."""

import ast
import re
import unittest

import support

GUIDE = support.REPO / "docs" / "troubleshooting.md"
SUFFIXES = {".py", ".cpp", ".hpp", ".cu", ".cuh", ".cmake"}
GAP = "..."  # what stands in a heading, and here, for what differs from message to message


def python_texts(source):
    """Yield the text of each string of a Python file, docstrings left out."""
    tree = ast.parse(source)
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, kinds)]
    docstrings = {body[0].value for body in bodies if body and isinstance(body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(v.value if isinstance(v, ast.Constant) else GAP for v in node.values)
        elif isinstance(node, ast.Constant) and node not in docstrings:
            yield str(node.value)


def quoted_texts(source):
    """Yield the text of each string of a C++ or CMake file; neighbours are one, as there."""
    source = re.sub(r"^\s*(//|#).*$", "", source, flags=re.MULTILINE)
    for run in re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', source):
        yield re.sub(r'"\s*"', "", run[1:-1])


def sources():
    """Yield the files that print messages."""
    yield support.REPO / "course"
    for folder in ("common", "plots", "docs/_ext"):
        for path in (support.REPO / folder).rglob("*"):
            if path.suffix in SUFFIXES:
                yield path


def headings(text):
    """Return the messages that a guide has headings for."""
    return re.findall(r"^### (.*)$", text, re.MULTILINE)


class Troubleshooting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = GUIDE.read_text(encoding="utf-8")
        cls.messages = []
        for path in sources():
            is_python = path.suffix == ".py" or path.name == "course"
            read = python_texts if is_python else quoted_texts
            cls.messages += read(path.read_text(encoding="utf-8"))

    def test_each_heading_is_part_of_a_message(self):
        found = headings(self.text)
        self.assertGreater(len(found), 60)
        wrong = []
        for heading in found:
            message = heading.strip("`")
            if heading != f"`{message}`" or not any(message in one for one in self.messages):
                wrong.append(heading)
        self.assertEqual(wrong, [])

    def test_no_message_has_two_headings(self):
        found = headings(self.text)
        self.assertEqual(sorted(set(found)), sorted(found))

    def test_a_heading_has_an_answer(self):
        """What it means and what to do is more than a few words, and far less than a page."""
        for part in re.split(r"^###? ", self.text, flags=re.MULTILINE)[1:]:
            heading, _, answer = part.partition("\n")
            if heading.startswith("`"):
                self.assertIn(len(answer.split()), range(10, 100), heading)

    def test_texts_are_read_as_the_compilers_read_them(self):
        self.assertEqual(
            list(python_texts('"""Doc."""\nx = f"a {y}" " b"\n# "c"\ny = "d" \\\n  "e"\n')),
            ["a ... b", "de", "a ", " b"],
        )
        self.assertEqual(list(quoted_texts('f("a "\n  "b" + c + "d");  \n// "e"\n')), ["a b", "d"])


if __name__ == "__main__":
    unittest.main()
