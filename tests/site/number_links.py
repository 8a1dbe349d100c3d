"""From a number on a built page to its row on the record's page, and from there to its file."""

import dataclasses
import functools
import json
import re
from html import unescape
from urllib.parse import unquote

import small_site  # noqa: F401  (puts common/ on the path)

from evidence import EvidenceError, anchors

_NUMBER = re.compile(r'<a class="record-number[^"]*" href="([^"#]*)#([^"]*)"[^>]*>(.*?)</a>', re.S)
_FILE = re.compile(r'<a class="reference download[^"]*" download="" href="([^"]*)"')


def numbers_of(page):
    """Return the links to numbers on a page: (the page that it leads to, anchor) and its text."""
    html = page.read_text(encoding="utf-8")
    return [((m[1], unquote(m[2])), _text(m[3])) for m in _NUMBER.finditer(html)]


def fault_of_number(page, link, text):
    """Follow a number to its row and its file. Return what is wrong with them; empty if nothing."""
    target = (page.parent / unquote(link[0])).resolve()
    found = _rows(target).get(link[1])
    if found is None:
        return f"{target.name} has no row {link[1]}"
    file, names, shown = found
    if file is None:
        return f"the section of {link[1]} has no file"
    if not file.is_file():
        return f"there is no {file}"
    faults = []
    for name in names:
        try:
            number = anchors.resolve(_loaded(file), name)
            anchors.check(text, number)
            if not any(_is_shown(one, number) for one in re.findall(r"\d[\d.,e-]*", shown)):
                raise EvidenceError(f"the row shows {shown}")
            return ""
        except EvidenceError as error:
            faults.append(str(error))
    return "; ".join(faults)


def _is_shown(text, number):
    """Return whether a row's text is the number, whose unit stands behind it."""
    try:
        anchors.check(text, dataclasses.replace(number, unit=""))
    except EvidenceError:
        return False
    return True


@functools.cache
def _rows(page):
    """Return per anchor of a row: the section's file, what its number may be called, its text."""
    rows = {}
    for section in re.split(r"(?=<section id=)", page.read_text(encoding="utf-8")):
        file = _FILE.search(section)
        title = re.search(r"<h\d>(.*?)<a class=\"headerlink", section, re.S)
        for row in re.finditer(r'<tr class="[^"]*" id="([^"]*)">(.*?)</tr>', section, re.S):
            cells = re.findall(r"<td>(.*?)</td>", row[2], re.S)
            name = _text(re.search(r"<code[^>]*>(.*?)</code>", cells[0], re.S)[1])
            shown = _text(re.search(r"<p>(.*?)</p>", cells[-1], re.S)[1])
            # Of a counts record, a section is a rung; of a study, a range has two numbers.
            names = (name, f"{_text(title[1])}/{name}", f"{name}/low", f"{name}/high")
            where = (page.parent / unquote(file[1])).resolve() if file else None
            rows[row[1]] = (where, names, shown)
    return rows


@functools.cache
def _loaded(file):
    return json.loads(file.read_text(encoding="utf-8"))


def _text(html):
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", html))).strip()
