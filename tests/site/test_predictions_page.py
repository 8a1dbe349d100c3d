"""The page of all predictions: their order, their sums, and what another record says."""

import tempfile
import unittest

from built_pages import Page, text_of
from small_site import ROWS, SmallSite, write

PAGE = """# Predictions

All.

## Findings

```{predictions} findings
```

## Models

```{predictions} models
```

```{predictions} ladders
```

## Every one

```{predictions}
```
"""


class PredictionsPage(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.site = SmallSite(temporary.name)
        write(self.site.repo / "docs/predictions.md", PAGE)
        self.site.edit("docs/README.md", "records/toy.md", "predictions.md\nrecords/toy.md")

    def build(self):
        code, output = self.site.build()
        self.assertEqual((code, output.strip()), (0, ""))
        return text_of(self.site.page("docs/predictions.html"))

    def test_without_a_record_nothing_is_judged(self):
        self.assertEqual(self.build().count("so no prediction is judged."), 4)

    def test_the_wrong_ones_come_first_and_lead_to_their_numbers(self):
        # second expects 4x and is 2.97x; third expects 0.5x and is 1.00x.
        self.site.keep("h200-1")
        rows = [(*r[:5], 116.0 if r[0] == "third" else r[5]) for r in ROWS]
        self.site.keep("h200-2", rows=rows)
        text = self.build()
        self.assertIn("0 of 2 predictions are confirmed , 2 refuted, 0 not resolved.", text)
        self.assertIn("The guess that nothing changes does worse", text.replace(" .", ""))
        self.assertIn("None of all expected a change, and the step went the other way", text)
        self.assertIn("h200-2 judges 2 of them too. Its verdict is another on none; whether", text)
        self.assertIn("Half of them miss by 1.67x or more.", text)
        self.assertIn("reads shared reads per multiply-add | 0 of 2 | 2 | 0 | 1.67x |", text)
        self.assertIn("reads shared reads per multiply-add | 0 of 2, 1.67x guess 1, 1.99x |", text)
        every = text[text.index("Refuted: 2") :]
        third = every.index("toy/third reads | 0.50x | 0.997x")
        self.assertLess(third, every.index("toy/second reads | 4.00x | 2.974x"))
        self.assertIn("1.99x | slower h200-2: faster |", every[third:])
        self.assertIn("Confirmed: none", every)
        page = Page(self.site.out / "docs/predictions.html")
        self.assertIn("records/toy-times.html#h200-1-toy-second-factor", page.links)
        self.assertIn("../lessons/toy/1-second/index.html", page.links)

    def test_a_view_that_there_is_none_of_fails(self):
        self.site.edit("docs/predictions.md", "} ladders", "} leaders")
        code, output = self.site.build()
        self.assertNotEqual(code, 0)
        self.assertIn("there is no 'leaders'; there is findings, models, ladders, figures", output)


if __name__ == "__main__":
    unittest.main()
