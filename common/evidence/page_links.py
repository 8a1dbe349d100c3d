"""Links from a page's text to numbers of records, found without building the site.

``[74.1 us](../../../docs/evidence/h200-1/matmul.json#transposed-a/kernel)`` is one, and so is
``[74.1 us][kernel]`` where the page defines ``[kernel]:`` as such a target. Code is left out, but
for the content of directives, which is text too.
"""

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from evidence import anchors, published, records
from evidence.errors import EvidenceError

_FENCE = re.compile(r" {0,3}(?P<signs>`{3,}|~{3,}|:{3,})\s*(?P<info>.*?)\s*")
_CODE_DIRECTIVES = ("{code", "{math", "{literalinclude")
_CODE_SPAN = re.compile(r"(?<![`\\])(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_DEFINITION = re.compile(r"(?m)^ {0,3}\[(?P<label>[^\[\]\n]+)\]:[ \t]*<?(?P<target>[^\s<>]+)>?")
_TEXT = r"(?<![\\!])\[(?P<text>[^\[\]]+)\]"
_INLINE = re.compile(_TEXT + r"\(\s*<?(?P<target>[^\s()<>]+)>?[^()\n]*\)")
_REFERENCE = re.compile(_TEXT + r"\[(?P<label>[^\[\]]*)\]")
_SHORTCUT = re.compile(r"(?<!\])" + _TEXT + r"(?![\[(:])")


@dataclass(frozen=True)
class NumberLink:
    """A link to a number: its text between ``start`` and ``end``, and where it leads."""

    start: int
    end: int
    text: str
    line: int
    file: Path
    anchor: str
    own_label: bool  # True: the text is the target's label as well, as in "[74.1 us]"


def number_links(page: Path, text: str, evidence: Path) -> list[NumberLink]:
    """Return the links of ``text`` to numbers of files below the folder ``evidence``, in order.

    ``page`` is the file that the text stands in, from whose folder targets are read.
    """
    prose = _without_code(text)
    targets = {_label(m["label"]): m["target"] for m in reversed([*_DEFINITION.finditer(prose)])}
    found = []
    for pattern in (_INLINE, _REFERENCE, _SHORTCUT):
        for match in pattern.finditer(prose):
            groups = match.groupdict()
            label = groups.get("label") or groups["text"]
            target = groups.get("target") or targets.get(_label(label), "")
            path, _, anchor = target.partition("#")
            file = Path(os.path.normpath(page.parent / path))
            if not path or not anchor or not file.is_relative_to(evidence):
                continue
            start, end = match.span("text")
            own = pattern is not _INLINE and not groups.get("label")
            line = text.count("\n", 0, start) + 1
            found.append(NumberLink(start, end, text[start:end], line, file, anchor, own))
    return sorted(found, key=lambda link: link.start)


def load(file: Path) -> dict:
    """Return a document of evidence, read once as long as its file stays the same.

    Raises EvidenceError if it is missing or not sound.
    """
    try:
        stat = file.stat()
    except OSError as error:
        raise EvidenceError(f"cannot read {file.name}: {error.strerror}") from None
    return _load(file, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=64)
def _load(file: Path, _changed: int, _size: int) -> dict:
    readers = {"counts": records.load_counts, "published": published.load}
    return readers.get(file.parent.name, records.load_record)(file)


def damaged(repo: Path, files: list[Path]) -> list[str]:
    """Return a sentence for each of these files that cannot be loaded."""
    found = []
    for file in files:
        try:
            load(file)
        except EvidenceError as error:
            found.append(str(error).replace(f"{repo}{os.sep}", ""))
    return found


def number(file: Path, anchor: str) -> anchors.Number:
    """Return the number behind ``#`` of a file. Raises EvidenceError if there is none."""
    return anchors.resolve(load(file), anchor)


def changes(
    page: Path, text: str, evidence: Path
) -> tuple[list[tuple[NumberLink, str]], list[tuple[NumberLink, str]]]:
    """Return the stale links of a page, each with its new text, and the wrong ones, each with why.

    Raises nothing for a link that leads nowhere: that is a wrong one.
    """
    stale, wrong = [], []
    for link in number_links(page, text, evidence):
        try:
            found = number(link.file, link.anchor)
        except EvidenceError as error:
            wrong.append((link, f"{link.file.name}#{link.anchor}: {error}"))
            continue
        try:
            anchors.check(link.text, found)
        except EvidenceError:
            _mend(link, found, stale, wrong)
    return stale, wrong


def _mend(link: NumberLink, found: anchors.Number, stale: list, wrong: list) -> None:
    """Add a link whose text is not its number to one of the two lists."""
    if link.own_label:
        wrong.append((link, f"'{link.text}' is its own label; write [{link.text}][a-label]"))
        return
    try:
        new = anchors.text(found, like=link.text)
        anchors.check(new, found)
        stale.append((link, new))
    except EvidenceError as error:
        wrong.append((link, f"{link.file.name}#{link.anchor}: {error}"))


def rewritten(text: str, stale: list[tuple[NumberLink, str]]) -> str:
    """Return ``text`` with the texts of these links replaced."""
    for link, new in sorted(stale, key=lambda change: change[0].start, reverse=True):
        text = text[: link.start] + new + text[link.end :]
    return text


def _label(text: str) -> str:
    """Return a label as Markdown compares it."""
    return " ".join(text.split()).casefold()


def _without_code(text: str) -> str:
    """Return text of the same length in which code is blank; line ends stay."""
    lines, open_fences = [], []  # of each open fence: its signs, and whether it holds code
    for line in text.split("\n"):
        fence = _FENCE.fullmatch(line)
        in_code = bool(open_fences) and open_fences[-1][1]
        if fence and open_fences and _closes(fence, open_fences[-1][0]):
            open_fences.pop()
        elif fence and not in_code and "`" not in fence["info"]:
            info = fence["info"]
            is_text = info.startswith("{") and not info.startswith(_CODE_DIRECTIVES)
            open_fences.append((fence["signs"], not is_text and fence["signs"][0] != ":"))
        elif not in_code:
            lines.append(line)
            continue
        lines.append(" " * len(line))
    return _CODE_SPAN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), "\n".join(lines))


def _closes(fence: re.Match, opening: str) -> bool:
    """Return whether a line of fence signs ends the block that ``opening`` began."""
    signs = fence["signs"]
    return signs[0] == opening[0] and len(signs) >= len(opening) and not fence["info"]
