"""``rung-try``: a change for the reader to make, with the counts that it gives.

The change is the rung's ``try.patch``; a test makes it, runs it and compares every count.
"""

from __future__ import annotations

import re

from docutils import nodes

from evidence import tries
from evidence.numbers import format_number
from evidence.tries import Try
from rungs_site import lesson
from rungs_site.directives import COUNTS, LessonDirective
from rungs_site.tables import Cell, paragraph, table

_OF_KERNEL = re.compile(r"kernels/(\d+)/(\w+)")
_KINDS = {"ptx": "PTX", "sass": "SASS"}


class RungTry(LessonDirective):
    """``rung-try``: why, the patch, the commands, and what comes of it."""

    def build(self) -> list[nodes.Node]:
        """Return the block."""
        ladder = self.ladder()
        rung = lesson.rung_of_page(self.env, ladder)
        path = tries.path_of(rung)
        self.env.note_dependency(str(path))
        found = tries.load(path)
        text = found.patch.rstrip("\n")
        patch = nodes.literal_block(text, text, language="diff")
        file = path.relative_to(self.env.srcdir).as_posix()
        commands = [f"git apply {file}", f"./course run {rung.key} --device cpu"]
        if found.refusal is None:
            commands.append(f"build/bin/{rung.ladder}-{rung.name} --device cpu")
        commands.append(f"git apply -R {file}")
        console = "\n".join(f"$ {command}" for command in commands)
        parts = [paragraph(found.why), patch]
        parts.append(nodes.literal_block(console, console, language="console"))
        return parts + self._outcome(found)

    def _outcome(self, found: Try) -> list[nodes.Node]:
        """Return what the CPU device says of the changed kernel: its counts, or its refusal."""
        if found.refusal is not None:
            words = nodes.literal("", found.refusal)
            return [paragraph("The changed kernel must be refused, with these words: ", words)]
        rows: list[list[Cell]] = [
            [_label(one.path), format_number(one.before), _after(one)] for one in found.changes
        ]
        note = paragraph("A test makes this change, runs it on the CPU device and compares.")
        note["classes"].append("under-table")
        return [table(["Count", "As it is", "Changed"], rows, "tried"), note]


def _label(path: str) -> Cell:
    """Return what a count is called on the pages, and its kind; an unnamed one is its path."""
    kind, _, name = path.partition("/")
    of_kernel = _OF_KERNEL.fullmatch(name)
    name = of_kernel[2] if of_kernel else name
    if name not in COUNTS:
        return nodes.literal("", path)
    words = COUNTS[name]
    if words.startswith("..."):
        words = name.replace("_", " ").capitalize()
    kernel = f" of kernel {int(of_kernel[1]) + 1}" if of_kernel else ""
    return f"{words}{kernel}, {_KINDS[kind]}"


def _after(change: tries.Change) -> Cell:
    return "the same" if change.stays else format_number(change.after)
