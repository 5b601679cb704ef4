"""How pages write what they say: points, times, addresses, and words within a sentence."""

from __future__ import annotations

import math
import re
from datetime import datetime
from html import escape
from typing import Final
from urllib.parse import quote, urlencode

from tapelab.grading.formats.grades import number
from tapelab.grading.reports.wording import sign, word
from tapelab.locales import say, say_many, translated
from tapelab.views.card import prose

LONGEST: Final = 120
"""Letters of a value in the history."""
_CODED: Final = re.compile(r"(?<!\\)\\u(?!00[0-9]|d[89a-f])([0-9a-f]{4})")
"""A letter as JSON codes it; control characters, and halves of letters, stay codes."""
LEFT_TO_RIGHT: Final = "\u200e"
"""Without it a minus would stand behind its number where one reads from the right."""


def points(value: float | None) -> str:
    """Points as people write them; a dash where there are none to tell."""
    if value is None:
        return "–"
    written = number(value, places=4)
    return f"{LEFT_TO_RIGHT}−{written[1:]}" if written.startswith("-") else written


def moment(value: datetime | None) -> str:
    """A time as the clock of this computer has it."""
    return value.astimezone().strftime("%Y-%m-%d %H:%M") if value else "–"


def link(page: str, **query: str) -> str:
    """The address of a page; names go into its query, where no browser shortens `..`."""
    given = {key: value for key, value in query.items() if value}
    return f"/{page}?{urlencode(given, quote_via=quote)}" if given else f"/{page}"


def share(points: float, of: float) -> str:
    """Whether that is all, a part or none of the points: a class of the style."""
    if points >= of or math.isclose(points, of):
        return "all"
    return "part" if points > 0 else "none"


def brief(text: str) -> str:
    """The beginning of what the history tells; a whole result is longer than a cell."""
    told = _CODED.sub(lambda coded: chr(int(coded[1], 16)), text)
    return told if len(told) <= LONGEST else f"{told[:LONGEST]}…"


def within(text: str, kind: str = "bdi", style: str = "") -> str:
    """A word of others within a sentence, as HTML: escaped, and read in its own direction."""
    named = f' class="{style}"' if style else ""
    return f"<{kind}{named}>{escape(text)}</{kind}>"


HELPERS: Final = {
    "points": points, "moment": moment, "link": link, "sign": sign, "share": share,
    "brief": brief, "word": word, "within": within, "prose": prose, "say": say,
    "say_many": say_many, "translated": translated,
}  # fmt: skip
