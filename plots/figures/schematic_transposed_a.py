"""The tile of A by rows and on its side: which words a thread reads, and which it copies."""

from plots import schematic
from plots.accesses.matmul import BLOCK_X, QUAD_READS_A, THREAD, TRANSPOSED_A, WORD
from plots.schematic import EMPTY, FILLED, HATCHED
from plots.story import Column, Story, listed

ORDER = 102
OF = "counts"
LADDERS = ("matmul",)

_SHOWN = 8  # rows and k of the tile that are drawn
_K = 2
_COPIED_ROW = 6
_COPIED_K = 4
_K_STEP = QUAD_READS_A.step[1]
_LEGEND = (
    (FILLED, f"a thread's four values at k = {_K}"),
    (HATCHED, "a quad along k that a thread copies"),
)


def _by_rows(row: int, k: int) -> int:
    """Return the word of an element in the tile by rows."""
    return QUAD_READS_A.offset(row // THREAD * BLOCK_X, k, row % THREAD) // WORD


def _on_its_side(row: int, k: int) -> int:
    """Return the word of an element in the transposed tile."""
    return TRANSPOSED_A.offset(row // THREAD * BLOCK_X, k) // WORD + row % THREAD


def _read(word) -> list[int]:
    return [word(i, _K) for i in range(THREAD)]


def _copied(word) -> list[int]:
    return [word(_COPIED_ROW, _COPIED_K + i) for i in range(THREAD)]


def story(subjects) -> Story:
    """Return what the schematic states."""
    before, after = (
        schematic.counts_of(subjects[0], rung)["argued"]["shared_reads_per_multiply_add"]
        for rung in ("quad-reads", "transposed-a")
    )
    stride = _on_its_side(0, 1) - _on_its_side(0, 0)
    apart, side = map(_numbers, (_read(_by_rows), _read(_on_its_side)))
    return Story(
        title="matmul: the tile of A, by rows and transposed",
        subtitle=f"quad-reads and transposed-a; the first {_SHOWN} of 64 rows, {_SHOWN} of "
        f"{_K_STEP} k; a cell has its word's number",
        alt=f"A thread's four values of A at k = {_K} are the words {apart} of the tile by rows: "
        f"{THREAD} reads. In the transposed tile they are the words {side}: one read of 128 bits. "
        f"Reads for each multiply-add, of A and B, fall from {before:g} to {after:g}. A quad along "
        f"k, which a thread loads from global memory, is one store by rows; transposed it is "
        f"{THREAD} stores, {stride} words apart.",
        columns=(Column("row"), Column("k"), Column("word, by rows"), Column("word, transposed")),
        rows=[
            [str(row), str(k), str(_by_rows(row, k)), str(_on_its_side(row, k))]
            for row in range(_SHOWN)
            for k in range(_SHOWN)
        ],
        notes=("Words that are neighbours in memory stand side by side, from the left.",),
    )


def _numbers(words: list[int]) -> str:
    return listed(map(str, words))


def draw(look, story, subjects):
    """Return the figure: the two tiles side by side, or one below the other."""
    left = 0.55  # for the names of rows
    gap = 0.35
    width = look.variant.width - 0.24
    cell = (width - gap - 2 * left) / 2 / _SHOWN if look.is_wide else (width - left) / _SHOWN
    head = look.variant.text * 1.3 / 72 + look.variant.small * 1.3 / 72 + 0.1
    high = 0.3
    one = head + _SHOWN * high
    height = one if look.is_wide else 2 * one + 0.15
    figure, axes, _ = schematic.canvas(look, story, height, _LEGEND)
    second = (left + _SHOWN * cell + gap, 0) if look.is_wide else (0, one + 0.15)
    for corner, name, word, across, down in (
        ((0, 0), "by rows: four reads", _by_rows, "k", "row"),
        (second, "transposed: one read", _on_its_side, "row", "k"),
    ):
        _tile(axes, look, corner, (left, head, cell, high), name, word, across, down)
    return figure


def _tile(axes, look, corner, sizes, name, word, across, down) -> None:
    left, head, cell, high = sizes
    x, y = corner
    schematic.words(axes, look, (x + left, y), name, size=look.variant.text)
    read, copied = _read(word), _copied(word)
    quiet = {"color": look.palette.muted}
    for along in range(_SHOWN):
        middle = x + left + (along + 0.5) * cell
        label = f"{across} {along}" if along == 0 else str(along)
        schematic.words(
            axes, look, (middle, y + head - 0.03), label, va="bottom", ha="center", **quiet
        )
        place = x + left - 0.06, y + head + (along + 0.5) * high
        schematic.words(
            axes, look, place, f"{down} {along}", va="center_baseline", ha="right", **quiet
        )
    for line in range(_SHOWN):
        for along in range(_SHOWN):
            row, k = (line, along) if down == "row" else (along, line)
            number = word(row, k)
            kind = FILLED if number in read else HATCHED if number in copied else EMPTY
            place = x + left + along * cell + 0.015, y + head + line * high + 0.015
            size = cell - 0.03, high - 0.03
            schematic.box(axes, look, place, size, kind)
            schematic.inside(axes, look, place, size, str(number), kind)
