// What the theme's scripts do not do. Every page reads well without it.

// From a file, the search page may not read the pages that it found, so it shows no summaries.
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

// A screen reader tells the two sidebars apart.
document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "The course");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");

// The row that a number leads to names its file, though the section's head is out of view.
const nameFile = () => {
  const row = document.querySelector("tr:target");
  const file = row?.closest("section")?.querySelector("a.download")
    ?? row?.closest("section")?.parentElement.querySelector("a.download");
  if (!file || row.querySelector("a.download")) return;
  const copy = file.cloneNode(true);
  row.cells[0].append(" ", copy);
};
addEventListener("load", nameFile);
addEventListener("hashchange", nameFile);

// What scrolls sideways is reached by Tab, and scrolled by the arrow keys.
const markScrollBoxes = () => {
  for (const box of document.querySelectorAll("div.highlight pre, .table-wrapper")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};
document.addEventListener("toggle", markScrollBoxes, true); // a table may have been unfolded
addEventListener("load", markScrollBoxes);
addEventListener("resize", markScrollBoxes);
