"""The language of explanations: sentences are written in English and looked up in a catalogue.

A sentence is a template with named values, `say("The path ends at `{text}`", text=text)`; the
template is what a catalogue translates. Where a catalogue has no such sentence, English stands.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import lru_cache
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Any, Final

DOMAINS: Final = ("tapelab", "lessons")
"""What tapelab itself says, and what the exercises of the lessons say."""
CATALOGUES: Final = Path(__file__).parent
ENVIRONMENT: Final = "TAPELAB_LANGUAGE"
ENGLISH: Final = "en"

_chosen: Final[ContextVar[str]] = ContextVar("language")


def language(name: str | None = None) -> str:
    """Speak a language from here on, such as "zh-CN" or "he"; without a name, tell which one.

    It holds for this thread or task, and for all others of the process that chose none of their
    own. The default is the environment variable TAPELAB_LANGUAGE, else English.
    """
    if name is not None:
        _chosen.set(name)
        os.environ[ENVIRONMENT] = name
    return _chosen.get("") or os.environ.get(ENVIRONMENT, "") or ENGLISH


def speak_here(name: str) -> None:
    """Speak a language in this thread or task alone, such as in the answer to one browser."""
    _chosen.set(name)


def preferred(accepted: str) -> str:
    """The language that a browser likes best of those we speak, by its Accept-Language header."""
    available = [ENGLISH, *(folder.parent.name for folder in CATALOGUES.glob("*/LC_MESSAGES"))]
    spoken = {_primary(name): name for name in available}
    wishes = [_wish(each) for each in accepted.split(",")]
    for _, name in sorted(wishes, key=lambda wish: -wish[0]):
        if _primary(name) in spoken:
            return spoken[_primary(name)].replace("_", "-")
    return ENGLISH


def _wish(part: str) -> tuple[float, str]:
    """A language of the header and its weight, 0 to 1; what cannot be read weighs nothing."""
    name, _, weight = part.partition(";")
    number = weight.strip().removeprefix("q=") or "1"
    weighs = float(number) if number.replace(".", "", 1).isdecimal() else 0.0
    return weighs, name.strip() if weighs else ""


def _primary(name: str) -> str:
    return name.replace("_", "-").partition("-")[0].lower()


def sentence(template: str) -> str:
    """The template itself: marks one that stands in a table, to be said later."""
    return template


def say(template: str, /, **values: Any) -> str:
    """A sentence in the chosen language, with its values filled in."""
    return _catalogue(language()).gettext(template).format(**values)


def say_many(one: str, many: str, count: int, /, **values: Any) -> str:
    """A sentence about so many things; `{count}` in it is their number, thousands apart."""
    template = _catalogue(language()).ngettext(one, many, count)
    return template.format(count=f"{count:,}".replace(",", "\u202f"), **values)


def translated(text: str) -> str:
    """A sentence without values, such as the reason that an op gives, in the chosen language."""
    return _catalogue(language()).gettext(text) if text else ""


def paragraph(*sentences: str) -> str:
    """Whole sentences, one after the other; empty ones are left out."""
    return translated(" ").join(each for each in sentences if each)


def of_explorer(more: Callable[[], Iterable[str]] = tuple) -> dict[str, Any]:
    """What the Explorer says in the chosen language, by the English: one form, or one and many.

    `more` names what its recording says, such as the titles of ops; English asks for none of it.
    """
    texts = _of_explorer(language())
    if not texts:
        return texts
    return texts | {text: form for text in more() if (form := translated(text)) != text}


@lru_cache(maxsize=8)
def _of_explorer(name: str) -> dict[str, Any]:
    for wanted in locale_names(name):
        file = CATALOGUES / wanted / "LC_MESSAGES" / "explorer.json"
        if file.exists():
            words: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            return words
    return {}


def locale_names(name: str) -> tuple[str, str]:
    """What the folders of a language may be called, the closest first: `zh_CN`, then `zh`."""
    locale = name.replace("-", "_")
    return locale, locale.partition("_")[0]


@lru_cache(maxsize=8)
def _catalogue(name: str) -> NullTranslations:
    """The catalogue of a language: of `zh-CN`, else of `zh`, else none."""
    own, *others = (translation(each, str(CATALOGUES), locale_names(name), fallback=True)
                    for each in DOMAINS)  # fmt: skip
    for other in others:
        own.add_fallback(other)
    return own
