"""Write the numbers of the pages anew where their records have changed, as precisely as they stand.

A number in the text of a page is a link to its record. Every such text of lessons/ and docs/ is
compared with what it links to. Either all pages are right afterwards, or none has been touched.
"""

from pathlib import Path

from course.errors import CHECK_FAILED, CourseError
from course.places import Places
from course.terminal import say
from evidence import page_links
from evidence.json_file import write_whole

NAME = "pages"
HELP = "write the numbers of the pages anew from their records"


def add_arguments(parser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit with 1 if a number is stale"
    )


def run(options, places: Places) -> int:
    """Run the command: 0 all numbers are right now, 1 a number is stale or leads nowhere."""
    pages = found_pages(places.repo)
    say(f"Comparing the numbers of {len(pages)} pages with their records.")
    evidence = places.repo / "docs" / "evidence"
    texts, stale, links, wrong = {}, 0, 0, []
    before = {page: _text(page, places.repo) for page in pages}
    found = {page: page_links.number_links(page, before[page], evidence) for page in pages}
    _require_sound(places.repo, {link.file for ones in found.values() for link in ones})
    for page, text in before.items():
        changes, errors = page_links.changes(page, text, evidence)
        links += len(found[page])
        name = page.relative_to(places.repo).as_posix()
        wrong += [f"{name}:{link.line}: {error}" for link, error in errors]
        for link, new in changes:
            was, becomes = (" ".join(words.split()) for words in (link.text, new))
            target = f"{link.file.relative_to(places.repo).as_posix()}#{link.anchor}"
            print(f"{name}:{link.line}: {was} -> {becomes} ({target})")
        stale += len(changes)
        if changes:
            texts[page] = page_links.rewritten(text, changes)
    for error in wrong:
        print(error)
    if wrong:
        raise CourseError(
            f"of {links} linked numbers {len(wrong)} cannot be compared and {stale} are stale; "
            "no page was changed"
        )
    if options.check:
        if stale:
            say(
                f"course: {stale} of {links} linked numbers are stale; ./course pages writes them "
                "anew"
            )
        else:
            print(
                f"All {links} linked numbers are those of their records. A number that is no link "
                "is not looked at; ./course site finds those."
            )
        return CHECK_FAILED if stale else 0
    write_pages(texts)
    pages_changed = f"{len(texts)} page{'' if len(texts) == 1 else 's'}"
    print(f"{stale} of {links} linked numbers written anew, on {pages_changed}.")
    return 0


def _text(page: Path, repo: Path) -> str:
    try:
        return page.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise CourseError(f"{page.relative_to(repo)} is not UTF-8 text") from None


def _require_sound(repo: Path, files: set[Path]) -> None:
    """Raise CourseError, naming each once, if files that numbers lead to are damaged.

    A file that is not there is no damage: a link to it is wrong, and said with its line.
    """
    bad = page_links.damaged(repo, sorted(file for file in files if file.is_file()))
    for sentence in bad[:-1]:
        say(f"course: {sentence}")
    if bad:
        raise CourseError(f"{bad[-1]}; no page was changed")


def found_pages(repo: Path) -> list[Path]:
    """Return the pages that may hold numbers: those of the lessons, and the guides."""
    return [*sorted((repo / "lessons").glob("**/README.md")), *sorted((repo / "docs").glob("*.md"))]


def write_pages(texts: dict[Path, str]) -> None:
    """Write each page whole. If one cannot be written, the ones before it get their text back."""
    before: dict[Path, str] = {}
    try:
        for page, text in texts.items():
            old = page.read_bytes().decode("utf-8")
            write_whole(page, text)
            before[page] = old
    except OSError as error:
        for page, text in before.items():
            write_whole(page, text)
        raise CourseError(f"cannot write {page}: {error.strerror}; no page was changed") from None
