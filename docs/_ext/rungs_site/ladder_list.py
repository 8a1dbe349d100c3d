"""``ladder-list``: every ladder, how far it comes as measured, and the order of their pages."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes

from evidence import claims, ladder_settings, pages, times
from evidence.numbers import format_factor
from rungs_site import kept_records, lesson
from rungs_site.directives import LessonDirective
from rungs_site.kept_records import Kept
from rungs_site.tables import label_link, page_link, paragraph
from rungs_site.toctree import toctree


class LadderList(LessonDirective):
    """``ladder-list``: every ladder with its first paragraph, and their page order."""

    def build(self) -> list[nodes.Node]:
        """Return a list and the (hidden) table of contents."""
        repo = Path(self.env.srcdir)
        ladders = [lesson.load_ladder(self.env, name) for name in ladder_settings.ladders(repo)]
        listed = nodes.bullet_list(classes=["ladders"])
        for ladder in ladders:
            page = repo / "lessons" / ladder.name / "README.md"
            self.env.note_dependency(str(page))
            title, change = pages.title_and_change(page)
            item = nodes.list_item()
            link = page_link(f"lessons/{ladder.name}/index", title, self.env.docname)
            item += paragraph(link, f". {change}")
            for one in kept_records.kept(self.env, ladder.name)[:1]:
                item += self._measured(ladder, one)
            listed += item
        return [
            listed,
            toctree(self, [(None, f"lessons/{ladder.name}/index") for ladder in ladders]),
        ]

    def _measured(self, ladder: lesson.Ladder, one: Kept) -> list[nodes.Node]:
        """Return a line: from the first rung to the fastest, and what the best peer takes."""
        rungs = [rung.name for rung in ladder.folders if not rung.is_aside and one.row(rung.name)]
        first, fastest = rungs[0], claims.fastest(one.record, rungs)
        whole = claims.factor(one.record, first, fastest) if fastest else None
        if whole is None:
            return []
        line = paragraph(*self._time(one, first), " to ", *self._time(one, fastest))
        line += nodes.Text(f": {format_factor(whole.value)}.")
        peer = kept_records.best_peer(ladder, one.record)
        if peer:
            line += [nodes.Text(" The best peer: "), *self._time(one, peer), nodes.Text(".")]
        line["classes"].append("kind")
        return [line]

    def _time(self, one: Kept, name: str) -> list[nodes.Node]:
        """Return a variant's name and its kernel time, which leads to its record."""
        value = kept_records.format_time(times.interval(one.record, name).value)
        label = kept_records.number_label(one.path, f"{name}/kernel")
        link = label_link(label, [nodes.Text(f"{value} us")], self.env.docname)
        return [nodes.Text(f"{name}, "), link]
