// What is wrong with the page as it stands now: widths, texts, code, images. One object of lists.
(() => {
  const wide = document.documentElement.clientWidth;
  const said = (element) =>
    `${element.tagName.toLowerCase()}.${element.className || "-"}: ` +
    (element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 60);

  // "rgb(1 2 3 / 50%)" and its kin as [red, green, blue, alpha], by the browser itself.
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const colour = (text) => {
    if (!known.has(text)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = text;
      pen.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
      known.set(text, [red, green, blue, alpha / 255]);
    }
    return known.get(text);
  };
  const over = (top, under) =>
    [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.slice(0, 3).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };

  // Per element: its style, what lies behind its text, and how opaque it is with its parents.
  const seen = new Map();
  const look = (element) => {
    if (seen.has(element)) return seen.get(element);
    const style = getComputedStyle(element);
    const parent = element.parentElement
      ? look(element.parentElement)
      : { ground: [255, 255, 255, 1], opacity: 1, shown: true, scrolls: false };
    const found = {
      style,
      ground: over(colour(style.backgroundColor), parent.ground),
      opacity: parent.opacity * parseFloat(style.opacity),
      shown: parent.shown && style.display !== "none" && element.tagName !== "TEMPLATE",
      scrolls: parent.scrolls || ["auto", "scroll"].includes(style.overflowX),
    };
    seen.set(element, found);
    return found;
  };

  const faint = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.trim()) continue;
    const element = node.parentElement;
    const { style, ground, opacity, shown } = look(element);
    if (!shown || opacity === 0 || style.visibility !== "visible") continue;
    if (["SCRIPT", "STYLE", "NOSCRIPT", "TITLE"].includes(element.tagName)) continue;
    const ink = colour(style.color);
    const text = over([ink[0], ink[1], ink[2], ink[3] * opacity], ground);
    const [high, low] = [luminance(text), luminance(ground)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight, 10) >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      const key = `${text.map(Math.round)} on ${ground.map(Math.round)}`;
      if (!faint.has(key)) faint.set(key, `${ratio.toFixed(2)}, ${said(element)}`);
    }
  }

  const outside = [];
  const parts = "article *, .mobile-header *, .bottom-of-page *, .related-pages *";
  for (const element of document.querySelectorAll(parts)) {
    const box = element.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    if ((box.right > wide + 1 || box.left < -1) && !look(element.parentElement).scrolls) {
      if (!look(element).scrolls || box.right > wide + 1) outside.push(said(element));
    }
  }

  // The code itself, as it is copied: no line numbers and no signs of a difference.
  const code = [];
  for (const pre of document.querySelectorAll("div.highlight pre")) {
    const copy = pre.cloneNode(true);
    copy.querySelectorAll(".linenos, .number, .sign").forEach((part) => part.remove());
    const columns = Math.max(...copy.textContent.split("\n").map((line) => line.length));
    const style = look(pre).style;
    code.push({
      columns,
      fits: pre.scrollWidth <= pre.clientWidth,
      wraps: !["pre", "nowrap"].includes(style.whiteSpace) && style.textWrapMode !== "nowrap",
      size: parseFloat(style.fontSize),
      button: Boolean(pre.parentElement.querySelector("button.copybtn")),
      difference: Boolean(pre.closest(".rung-diff")),
      text: said(pre),
    });
  }

  return {
    overflow: Math.max(
      document.documentElement.scrollWidth - wide,
      document.body.scrollWidth - document.body.clientWidth,
    ),
    outside,
    faint: [...faint.values()],
    ground: luminance(look(document.body).ground),
    code,
    images: [...document.images]
      .filter((image) => !image.complete || !image.naturalWidth || !image.hasAttribute("alt"))
      .map((image) => image.currentSrc || image.src),
    figures: [...document.querySelectorAll("figure.figure-of")].map((figure) => ({
      id: figure.id,
      shown: [...figure.querySelectorAll("img")].filter((image) => image.clientWidth > 0)
        .map((image) => decodeURI(image.currentSrc).split("/").pop()),
      alt: [...figure.querySelectorAll("img")].map((image) => image.alt),
      rows: figure.querySelectorAll("details table tbody tr").length,
      png: figure.querySelectorAll("a[download][href$='.png']").length,
    })),
    ids: [...document.querySelectorAll("[id]")].map((element) => element.id),
    links: [...document.querySelectorAll("a[href]")].map((link) => link.href),
  };
})();
