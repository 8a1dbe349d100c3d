// How the search orders what it finds: Sphinx's own numbers, and what this site adds to them.
//
// Each lesson has the same headings, so a word of one of them, such as "kernel", counts for all
// lessons alike. And the page of the API has nearly every word; its names are found as names.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  score: ([page, , , , score, , kind]) => {
    if (kind === "title") return score + 20; // all that was asked for stands in one heading
    if (kind === "object") return score + 5; // as much as a word of a guide's heading
    if (kind !== "text") return score;
    const isInHeading = score >= Scorer.title;
    if (page === "docs/api") return isInHeading ? score : score - 1;
    const isGuide = /^docs\/[^/]+$/.test(page);
    return isGuide && isInHeading ? score + 1 : score;
  },
};
