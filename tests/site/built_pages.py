"""What a built page holds: anchors, links and what it loads."""

import re
from html import unescape
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself; a plain link is fetched only when the reader follows it.
_LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "object": "data",
}
_LOADED_LINKS = ("stylesheet", "icon", "preload", "prefetch", "preconnect", "modulepreload")


class Page(HTMLParser):
    """One page's ``ids``, ``links`` (targets of <a>) and ``loads`` (what a browser may fetch).

    Of those that are ``drawings`` it fetches one look.
    """

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.ids, self.links, self.loads, self.styles = set(), [], [], []
        self.drawings = []
        self._in_style = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self._in_style = tag == "style"
        if "id" in attributes:
            self.ids.add(attributes["id"])
        if "style" in attributes:
            self.styles.append(attributes["style"])
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if tag == "link" and any(rel in attributes.get("rel", "") for rel in _LOADED_LINKS):
            self.loads.append(attributes["href"])
        if _LOADED.get(tag) in attributes:
            self.loads.append(attributes[_LOADED[tag]])
        if "srcset" in attributes:
            self.loads.append(attributes["srcset"])
        drawing = attributes.get("srcset") or attributes.get("src") or ""
        if tag in ("img", "source") and drawing.endswith(".svg"):
            self.drawings.append(drawing)

    def handle_data(self, data):
        if self._in_style:
            self.styles.append(data)

    def target(self, link):
        """Return the file and the anchor that a link of this site leads to; None if outside."""
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            return None
        path = self.path if not parts.path else (self.path.parent / unquote(parts.path)).resolve()
        return path, unquote(parts.fragment)


def loaded_by_css(text):
    """Return the addresses that a style sheet loads."""
    found = re.findall(r"url\(\s*['\"]?([^'\")]+)", text)
    return found + re.findall(r"@import\s+['\"]([^'\"]+)", text)


def is_outside(address):
    """Return whether an address leads to another host."""
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme in ("http", "https", "ftp", "ws", "wss")


def text_of(html):
    """Return a page's text: cells end in a bar, rows in a line end."""
    body = html[html.index("<article") : html.index("</article>")]
    body = re.sub(r"\s+", " ", re.sub(r"</t[dh]>", " | ", body)).replace("</tr>", "\n")
    lines = unescape(re.sub(r"<[^>]+>", " ", body)).split("\n")
    return "\n".join(re.sub(r" +", " ", line).strip() for line in lines)
