"""How figures look: palettes, variants, hatches and marks.

Nothing is told by colour alone. The colours of a palette differ in lightness, so they stay apart in
grey and for colour-blind readers; beside them bars have hatches and points have shapes.
"""

from dataclasses import dataclass, fields

FONT = "DejaVu Sans"  # matplotlib brings it: the same letters on every machine

# What matplotlib would else take from the reader's own settings.
SETTINGS = {
    "font.family": [FONT],
    "svg.fonttype": "path",
    "svg.hashsalt": "rungs",
    "text.parse_math": False,  # a file's name may hold a dollar
    "axes.unicode_minus": False,
    "hatch.linewidth": 0.8,
    "axes.linewidth": 0.8,
    "path.simplify": False,
    "lines.dash_capstyle": "butt",
}


@dataclass(frozen=True)
class Palette:
    """The colours of a light or a dark figure."""

    name: str
    background: str
    ink: str
    muted: str  # for what stands behind: subtitles, axes, notes
    grid: str
    band: str  # an area that means "inside the noise" or "within 10 %"
    first: str
    second: str
    third: str

    @property
    def series(self) -> tuple[str, str, str]:
        """The colours that tell things apart."""
        return self.first, self.second, self.third

    def colours(self) -> dict[str, str]:
        """Return every colour by its role."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "name"}


LIGHT = Palette(
    name="light",
    background="#ffffff",
    ink="#16191d",
    muted="#535b64",
    grid="#d9dee3",
    band="#dbe2ea",
    first="#12365f",
    second="#c4770c",
    third="#a3306c",
)
DARK = Palette(
    name="dark",
    background="#131416",
    ink="#eef1f4",
    muted="#a8b0b9",
    grid="#33383e",
    band="#353d48",
    first="#cfe6ff",
    second="#e9a13b",
    third="#d0609c",
)
PALETTES = (LIGHT, DARK)


@dataclass(frozen=True)
class Variant:
    """A width to be read at, in inches, with its sizes of letters, in points."""

    name: str
    width: float
    title: float
    text: float
    small: float


WIDE = Variant("wide", width=8.2, title=12.5, text=9.5, small=8.5)
PHONE = Variant("phone", width=3.7, title=10.5, text=8.5, small=7.8)
VARIANTS = (WIDE, PHONE)


@dataclass(frozen=True)
class Look:
    """One way to draw a figure."""

    palette: Palette
    variant: Variant

    @property
    def name(self) -> str:
        """What files of this look are called by: ``wide-light``."""
        return f"{self.variant.name}-{self.palette.name}"

    @property
    def is_wide(self) -> bool:
        """Whether there is room at the sides."""
        return self.variant is WIDE

    def colour(self, is_overlay: bool) -> str:
        """Return the colour of a kept record, or of the reader's own."""
        return self.palette.third if is_overlay else self.palette.first

    def bar(self, hatched: bool, is_overlay: bool = False) -> dict:
        """Return how a bar is filled: solid, or hatched on the background.

        Of a reader's own record solid bars are dotted, and hatches lean the other way.
        """
        colour, background = self.colour(is_overlay), self.palette.background
        if hatched:
            hatch = "\\\\\\\\\\" if is_overlay else "/////"
            fill = {"facecolor": background, "edgecolor": colour, "hatch": hatch}
        elif is_overlay:
            fill = {"facecolor": colour, "edgecolor": background, "hatch": "..."}
        else:
            fill = {"facecolor": colour, "edgecolor": colour}
        return {"linewidth": 0.9, **fill}


LOOKS = tuple(Look(palette, variant) for variant in VARIANTS for palette in PALETTES)

# Shapes by verdict, and of a reader's own record: told apart without any colour.
MARKS = {"confirmed": "o", "not resolved": "^", "refuted": "X"}
OVERLAY_MARKS = {"confirmed": "s", "not resolved": "v", "refuted": "P"}
PEER_LINE = (0, (1.2, 1.6))
FLOOR_LINE = (0, (6, 2))
