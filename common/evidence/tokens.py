"""C++ and CUDA source as tokens, without comments and white space.

This is as much of a C++ lexer as the source hash needs. Two sources have equal tokens if they
differ only in comments, line breaks and spaces; inside a preprocessor line a space is kept as one
space, because there it can matter (``#define F(x)`` is not ``#define F (x)``).
"""

import re

from evidence.errors import EvidenceError

# Longest first, so that "a+++b" is cut as the compiler cuts it.
_PUNCTUATORS = (
    *("<<<", ">>>", "<=>", "<<=", ">>=", "...", "->*"),
    *("::", "->", ".*", "##", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"),
    *("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="),
)

_PATTERNS = {
    "comment": r"//(?:\\\r?\n|[^\n])*|/\*.*?\*/",
    "raw": r'(?:u8|[uUL])?R"(?P<fence>[^()\\\s]{0,16})\(.*?\)(?P=fence)"',
    "string": r'(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"',
    "char": r"(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'",
    "word": r"[A-Za-z_]\w*",
    "number": r"\.?[0-9](?:'[0-9A-Za-z_]|[eEpP][+-]|[0-9A-Za-z_.])*",
    "splice": r"\\\r?\n",
    "newline": r"\r?\n",
    "space": r"[ \t\f\v\r]+",
    "punctuator": "|".join(map(re.escape, _PUNCTUATORS)) + r"|[^\w\s\"']",
}
_TOKEN = re.compile("|".join(f"(?P<{name}>{p})" for name, p in _PATTERNS.items()), re.DOTALL)


def tokens(text: str, where: str = "source") -> list[str]:
    """Cut C++ source into tokens.

    ``where`` names the source in an error. Raises EvidenceError at a character that starts no
    token, such as a quote that is never closed.
    """
    found: list[str] = []
    at = 0
    line_start = True  # nothing but white space and comments since the last line break
    directive = False  # inside a preprocessor line
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or text.startswith("/*", at) and match.lastgroup != "comment":
            line = text.count("\n", 0, at) + 1
            raise EvidenceError(f"{where}, line {line}: {text[at : at + 20]!r} starts no C++ token")
        kind, token, at = match.lastgroup, match.group(), match.end()
        if kind == "newline":
            if directive:
                _end_directive(found)
            line_start, directive = True, False
        elif kind in ("space", "splice", "comment"):
            if directive and found[-1] != " ":
                found.append(" ")
        else:
            if token == "#" and line_start:
                directive = True
            found.append(token)
            line_start = False
    if directive:
        _end_directive(found)
    return found


def _end_directive(found: list[str]) -> None:
    """Close a preprocessor line: its end is a token, the space before it is not."""
    if found[-1] == " ":
        found.pop()
    found.append("\n")
