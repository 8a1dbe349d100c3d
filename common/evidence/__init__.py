"""Evidence: what the course knows about its rungs, and how it is read.

Everything that shows a number (the command, the site, the tests) reads it through this package.
It uses the standard library only and needs neither a compiler nor a GPU.

- ``lessons``      ladders and rungs as the folders name them
- ``pages``        the title and the change of a rung, from its page
- ``regions``      marked regions of a source file
- ``tokens``       C++ source as tokens, without comments and spaces
- ``source_hash``  the hash that ties a record to the source it was made from
- ``json_file``    strict reading and whole writing of JSON
- ``layout``       how a document is laid out; ``counts_layout`` and ``measured_layout`` have
                   the layouts themselves
- ``consistency``  whether the numbers of a record agree with each other
- ``records``      the one reader and writer of records
- ``measured``     measured records: how one is finished, checked, kept, and when it is stale
- ``times``        a row's time by instrument, as an interval
- ``claims``       what a measured record lets one claim: factors, gains, verdicts, rates
- ``possible``     what a GPU can do at most, and the refusal of what beats it
- ``counters``     the hardware counters and what they mean
- ``compare``      two records of one machine, compared through what did not change
- ``predictions``  predictions as the first record froze them, and later edits
- ``outcomes``     what became of a ladder's predictions, and how far a model can be believed
- ``numbers``      how a number is printed, and whether a text shows it
- ``anchors``      how a page names one number of any record, and how a text shows it
- ``published``    the studies' own values, as reported
- ``page_links``   the links from a page's text to these numbers, and how a stale one is mended
- ``bank_rule``    how an H200 splits a warp's access: banks, wavefronts, sectors
- ``plotted``      which records figures are drawn from
- ``schema``       JSON Schema of the measured record, made from its layout
- ``models``       what a prediction predicts with
- ``verdicts``     when a prediction holds, and when a difference is a gain
- ``table``        the one table printer
"""

from evidence.errors import EvidenceError

__all__ = ["EvidenceError"]
