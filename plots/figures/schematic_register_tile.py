"""A thread's outputs in the block's tile, as the product of values of A with values of B."""

from plots import schematic
from plots.accesses import matmul
from plots.accesses.matmul import BLOCK, REGISTER_TILE_A, REGISTER_TILE_B, THREAD, WORD
from plots.schematic import FILLED, HATCHED
from plots.story import Column, Story

ORDER = 101
OF = "counts"
LADDERS = ("matmul",)

_K_STEP = REGISTER_TILE_A.step[1]
_Y, _X = 5, 6  # the thread that is drawn, away from the edges
_THREAD = _Y * matmul.BLOCK_X + _X
_K = 20
_GAP = 3  # elements between two tiles
_CELL = 0.46  # inches, of an output in the enlarged product
_LEGEND = ((FILLED, "read by one thread for one k"), (HATCHED, "that thread's outputs"))


def _rows() -> list[int]:
    """Return the rows of A that the thread reads."""
    return [REGISTER_TILE_A.offset(_THREAD, _K, i) // WORD // _K_STEP for i in range(THREAD)]


def _cols() -> list[int]:
    """Return the columns of B that the thread reads."""
    return [REGISTER_TILE_B.offset(_THREAD, _K, j) // WORD % BLOCK for j in range(THREAD)]


def story(subjects) -> Story:
    """Return what the schematic states."""
    argued = schematic.counts_of(subjects[0], "register-tile")["argued"]
    reads, outputs = 2 * THREAD, THREAD * THREAD
    return Story(
        title="matmul: the register tile",
        subtitle=f"register-tile; one of {argued['block_threads']} threads, one k of {_K_STEP}",
        alt=f"A block computes {BLOCK} x {BLOCK} elements of C, {_K_STEP} of K at a time. For each "
        f"k one of its {argued['block_threads']} threads reads {THREAD} values of A and {THREAD} "
        f"of B from shared memory and multiplies each with each: {reads} reads serve {outputs} "
        f"multiply-adds, {argued['shared_reads_per_multiply_add']:g} for each. Its rows are "
        f"adjacent, its columns {_cols()[1] - _cols()[0]} apart.",
        columns=(Column("value"), Column("element of the tile")),
        rows=[
            *([f"a_reg[{i}]", f"a_tile[{row}][k]"] for i, row in enumerate(_rows())),
            *([f"b_reg[{j}]", f"b_tile[k][{col}]"] for j, col in enumerate(_cols())),
            *(
                [f"sum[{i}][{j}]", f"row {row}, column {col} of C"]
                for i, row in enumerate(_rows())
                for j, col in enumerate(_cols())
            ),
        ],
        notes=(f"Drawn is the thread with threadIdx.y = {_Y}, threadIdx.x = {_X}.",),
    )


def draw(look, story, subjects):
    """Return the figure: the tiles, and beside or below them the product, enlarged."""
    label = look.variant.small * 1.3 / 72
    high = (THREAD + 1.2) * _CELL + 2 * label
    unit = (4.6 if look.is_wide else look.variant.width - 0.3) / (_K_STEP + _GAP + BLOCK)
    tiles = (_K_STEP + _GAP + BLOCK) * unit + label
    height = max(tiles, high) if look.is_wide else tiles + 0.2 + high
    figure, axes, width = schematic.canvas(look, story, height, _LEGEND)
    _tiles(axes, look, unit, label)
    if look.is_wide:
        _product(axes, look, (5.3, (tiles - high) / 2), label)
    else:
        _product(axes, look, ((width - (THREAD + 1.9) * _CELL) / 2, tiles + 0.2), label)
    return figure


def _tiles(axes, look, unit, label) -> None:
    """Draw the tile of A left of that of C, and the tile of B above it."""
    left, top = (_K_STEP + _GAP) * unit, (_K_STEP + _GAP) * unit + label
    line = {"linewidth": 1}
    schematic.box(axes, look, (0, top), (_K_STEP * unit, BLOCK * unit), **line)
    schematic.box(axes, look, (left, label), (BLOCK * unit, _K_STEP * unit), **line)
    schematic.box(axes, look, (left, top), (BLOCK * unit, BLOCK * unit), **line)
    words = look.palette.muted
    beside = {"va": "bottom", "color": words}
    schematic.words(axes, look, (0, top - 0.04), f"A: {BLOCK} x {_K_STEP}", **beside)
    schematic.words(axes, look, (left, label - 0.02), f"B: {_K_STEP} x {BLOCK}", **beside)
    low = top + BLOCK * unit - 0.05
    schematic.words(
        axes, look, (left + 0.06, low), f"C: {BLOCK} x {BLOCK}", va="bottom", color=words
    )
    for row in _rows():
        schematic.box(axes, look, (_K * unit, top + row * unit), (unit, unit), FILLED)
        for col in _cols():
            place = left + col * unit, top + row * unit
            schematic.box(axes, look, place, (unit, unit), HATCHED, hatch="", linewidth=0.8)
    for col in _cols():
        schematic.box(axes, look, (left + col * unit, label + _K * unit), (unit, unit), FILLED)
    guide = {"color": look.palette.muted, "linewidth": 0.6, "linestyle": (0, (2, 2)), "zorder": 1}
    first, last = _rows()[0], _rows()[-1] + 1
    for row in (first, last):
        y = top + row * unit
        axes.plot([(_K + 1) * unit, left + (_cols()[-1] + 1) * unit], [y, y], **guide)
    for col in _cols():
        x = left + (col + 0.5) * unit
        axes.plot([x, x], [label + (_K + 1) * unit, top + first * unit], **guide)


def _product(axes, look, corner, label) -> None:
    """Draw the outputs of the thread, with the values that they are products of."""
    x, y = corner[0] + 0.9 * _CELL, corner[1] + label
    size = _CELL * 0.92, _CELL * 0.92
    for j in range(THREAD):
        place = x + (j + 1.2) * _CELL - _CELL, y
        schematic.box(axes, look, place, size, FILLED)
        schematic.inside(axes, look, place, size, f"b{j}", FILLED)
    for i in range(THREAD):
        down = y + (i + 1.2) * _CELL
        place = corner[0], down
        schematic.box(axes, look, place, size, FILLED)
        schematic.inside(axes, look, place, size, f"a{i}", FILLED)
        for j in range(THREAD):
            place = x + (j + 1.2) * _CELL - _CELL, down
            schematic.box(axes, look, place, size, HATCHED)
            schematic.inside(axes, look, place, size, f"a{i} b{j}", HATCHED)
    words = f"{2 * THREAD} reads, {THREAD * THREAD} multiply-adds"
    schematic.words(axes, look, (corner[0], y + (THREAD + 1.2) * _CELL + 0.02), words)
