"""Text views in a terminal: fitted to its width and encoding, with colours on a screen.

Colour only repeats what the text says. It stays away where output goes to a file, where NO_COLOR is
set, and on a terminal that calls itself dumb.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from typing import Any, Final

from tapelab.views.card import columns

SIGNS: Final = {
    "−": "-",
    "×": "x",
    "·": ".",
    "…": "...",
    "⋮": ":",
    "│": "|",
    "─": "-",
    "∞": "inf",
    "→": "->",
    "←": "<-",
    "↦": "->",
    "√": "sqrt",
    "Σ": "sum",
    "∑": "sum",
    "∂": "d",
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "–": "-",
    "\u202f": " ",
    "\u2068": "",
    "\u2069": "",
}
"""What stands for a sign in a terminal that does not know it."""
NARROWEST: Final = 40
"""No line is broken for the sake of a terminal with fewer columns."""
HANGING: Final = "    "
"""How far a line is moved in that goes on with the one before."""
BOLD, DIM, RED, GREEN, PURPLE = "1", "2", "31", "32", "35"
COLOURS: Final = (
    (re.compile(r"^>.*$"), BOLD),
    (re.compile(r"^\S.*: \d[\d\s]* ops?, .*$|^gradient of .*$|^backward pass$"), BOLD),
    (re.compile(r"^    - .*$|^[\s│|]*\^+$"), RED),
    (re.compile(r"^    \+ .*$"), GREEN),
    (re.compile(r"\boff the tape\b|\bnot run yet\b|\bnot kept\b"), DIM),
    (re.compile(r"\bNone\b"), PURPLE),
    (re.compile(r"\bNaN\b|(?<=\s)[+−-]?(?:∞|inf)\b"), RED),
)
"""What is coloured in a line; where two would, the first alone."""


def write(text: str, stream: Any = None) -> None:
    """Write a picture or an explanation to a stream; to standard output if none is given."""
    stream = sys.stdout if stream is None else stream
    screen = is_screen(stream)
    width = shutil.get_terminal_size().columns if screen else 0
    known = legible(text, getattr(stream, "encoding", None) or "utf-8")
    lines = fitted(known, width) if width >= NARROWEST else known.split("\n")
    stream.write("\n".join(map(coloured, lines) if screen and wants_colour() else lines))


def is_screen(stream: Any) -> bool:
    """Whether somebody sees a stream as it is written."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):  # it is not a file, or it is closed
        return False


def wants_colour() -> bool:
    """Whether colours are allowed: NO_COLOR is unset and the terminal is not dumb."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def legible(text: str, encoding: str) -> str:
    """The text in signs that an encoding has."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(_legible(sign, encoding) for sign in text)
    return text


def _legible(sign: str, encoding: str) -> str:
    for form in (sign, SIGNS.get(sign), unicodedata.normalize("NFKD", sign)):
        if form is not None and form.encode(encoding, "replace") == form.encode(encoding, "ignore"):
            return form
    return "?"


def fitted(text: str, width: int) -> list[str]:
    """Lines of at most so many columns; a longer one goes on in the next, and nothing is lost."""
    return [part for line in text.split("\n") for part in _broken(line, width)]


def _broken(line: str, width: int) -> list[str]:
    parts: list[str] = []
    while columns(line) > width:
        end = _end(line, width)
        parts.append(line[:end].rstrip())
        begin = HANGING + line[: len(line) - len(line.lstrip())] if len(parts) == 1 else HANGING
        line = begin[: width // 4] + line[end:].lstrip()
    return [*parts, line]


def _end(line: str, width: int) -> int:
    """Where to break a line: at the last gap between words that fits, else where it is full."""
    filled = 0
    for end, sign in enumerate(line):  # noqa: B007 - the sign that fits no more
        filled += columns(sign)
        if filled > width:
            break
    gap = line.rfind(" ", 0, end + 1)
    return gap if gap > len(line) - len(line.lstrip()) else end


def coloured(line: str) -> str:
    """A line with its colours."""
    taken: list[tuple[int, int, str]] = []
    for pattern, colour in COLOURS:
        for match in pattern.finditer(line):
            start, end = match.span()
            if all(end <= first or last <= start for first, last, _ in taken):
                taken.append((start, end, colour))
    for start, end, colour in sorted(taken, reverse=True):
        line = f"{line[:start]}\x1b[{colour}m{line[start:end]}\x1b[0m{line[end:]}"
    return line
