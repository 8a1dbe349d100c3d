"""What holds of every drawn sheet: no text is cut, too small, or over another."""

from itertools import combinations
from unittest import mock

SMALLEST = 7.5  # points


def faults(sheet) -> list[str]:
    """Return what is wrong with the texts of a sheet, a sentence each."""
    from matplotlib.text import Text

    draw, texts = Text.draw, []

    def noted(text, renderer):
        texts.append(text)
        draw(text, renderer)

    with mock.patch.object(Text, "draw", noted):
        sheet.canvas.draw()
    texts = [one for one in dict.fromkeys(texts) if one.get_text().strip() and one.get_visible()]
    width, height = sheet.canvas.get_width_height()
    boxes = [(one.get_text(), Text.get_window_extent(one)) for one in texts]
    found = [] if len(boxes) > 3 else [f"there are {len(boxes)} texts"]
    for text, box in boxes:
        if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height:
            found.append(f"{text!r} is cut")
    for (one, a), (other, b) in combinations(boxes, 2):
        if a.padded(-1.5).overlaps(b.padded(-1.5)):
            found.append(f"{one!r} is over {other!r}")
    found += [f"{t.get_text()!r} is small" for t in texts if t.get_size() < SMALLEST]
    return found
