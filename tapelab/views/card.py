"""What stands in a card of a notebook's output: HTML and CSS alone, which need no kernel."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from html import escape
from pathlib import Path
from typing import Final
from unicodedata import east_asian_width

from tapelab.locales import language

WIDE: Final = re.compile(r"[\u2e80-\uffef]")
PARTS: Final = re.compile(r"[\u2e80-\uffef]|[^\s\u2e80-\uffef]+\s*|\s+")
CLOSING: Final = frozenset("。，、：；？！）」』")
"""What never begins a line."""
RIGHT_TO_LEFT: Final = frozenset({"ar", "fa", "he", "ur", "yi"})

DATA: Final = "application/vnd.tapelab+json"
"""The type of what a card tells as data; JupyterLab would show application/json before any HTML."""


def is_right_to_left() -> bool:
    """Whether the chosen language is written from right to left."""
    return language().replace("_", "-").partition("-")[0] in RIGHT_TO_LEFT


def direction() -> str:
    """The direction of the chosen language, as HTML calls it."""
    return "rtl" if is_right_to_left() else "ltr"


def prose(text: str) -> str:
    """A sentence as HTML: code between backticks keeps its direction, left to right."""
    parts = escape(text, quote=False).split("`")
    return "".join(
        f'<code dir="ltr">{part}</code>' if at % 2 else part for at, part in enumerate(parts)
    )


def plain(text: str) -> str:
    """A sentence for a terminal: code without its backticks, kept apart where others read back."""
    if not is_right_to_left():
        return text.replace("`", "")
    parts = text.split("`")
    return "".join(f"\u2068{part}\u2069" if at % 2 else part for at, part in enumerate(parts))


def wrapped(text: str, width: int = 88, indent: str = "  ") -> str:
    """A paragraph for a terminal; among signs of Chinese a line may break anywhere."""
    if not WIDE.search(text):
        return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent)
    lines = [indent]
    for part in PARTS.findall(text):
        if columns(lines[-1] + part.rstrip()) > width and part not in CLOSING:
            lines.append(indent)
        lines[-1] += part if lines[-1].strip() else part.lstrip()
    return "\n".join(line.rstrip() for line in lines)


def columns(text: str) -> int:
    """How many columns of a terminal a text fills."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def card(label: str, inside: str) -> str:
    """A card in the chosen language, with the style that it needs."""
    return (
        f'<style>{_style()}</style><section class="tapelab-rich" lang="{escape(language())}" '
        f'dir="{direction()}" aria-label="{escape(label)}">{inside}</section>'
    )


@cache
def _style() -> str:
    return minified(Path(__file__).with_name("card.css"))


def minified(sheet: Path) -> str:
    """A style sheet without its comments and its spaces."""
    return re.sub(r"/\*.*?\*/|\s+", " ", sheet.read_text(encoding="utf-8"))
