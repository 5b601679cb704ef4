"""A lesson in another language: the same cells and the same code, with its texts translated."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from babel import Locale

from tapelab.lab.lesson_folder import RIGHT_TO_LEFT
from tools.lesson_words import EXERCISES, updated

_IMPORT: Final = re.compile(r"^import tapelab as tf$", re.MULTILINE)
_FENCED: Final = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
_TARGET: Final = re.compile(r"(\]\([^)]*\))")
_CODE: Final = re.compile(r"`[^`]+`")
_TERM: Final = r"[-−+(]*[A-Za-z\d][A-Za-z\d.,′²³⁰¹⁴-⁹⁻₀-₉()\[\]^_]*"
_CALCULATION: Final = re.compile(
    rf"(?<![\w.]){_TERM}(?: ?[-−+×·÷/=≈≤≥<>→] ?{_TERM})+(?<![.,])|(?<![\w.])[-−+]\d[\d.]*(?<!\.)"
)
"""A formula in the middle of prose, such as f(x + h) − f(x), or a number with its sign."""
_LEFT_TO_RIGHT: Final = "\u2066{}\u2069"
"""Unicode's isolate: what stands in it runs from left to right, wherever it stands."""
_ISOLATED: Final = re.compile(_LEFT_TO_RIGHT.format(r"([^\u2066\u2069]*)"))
"""What the translation itself keeps from left to right, such as a pair of numbers."""
_RUNS: Final = re.compile(f"{_ISOLATED.pattern}|{_CODE.pattern}|{_CALCULATION.pattern}")


def in_language(notebook: str, language: str) -> str:
    """A notebook as JSON with its texts in a language; what is not translated stays English.

    The cell that imports tapelab chooses the language, so that verdicts and pictures speak it.
    """
    made = json.loads(notebook)
    about = made["metadata"]["tapelab"]
    texts, exercises = _words(language, about["lesson"]), _words(language, EXERCISES)
    for cell in made["cells"]:
        source = "".join(cell["source"])
        text = _markdown(texts.get(source, source), language)
        code = _IMPORT.sub(rf'\g<0>\n\ntf.language("{language}");', source)
        cell["source"] = (code if cell["cell_type"] == "code" else text).splitlines(keepends=True)
    about["language"] = language
    for each in about["exercises"]:
        each["title"] = exercises.get(each["title"], each["title"])
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _words(language: str, part: str) -> dict[Any, Any]:
    """What is translated and not stale."""
    there = updated(language, part)
    return {each.id: each.string for each in there if each.id and each.string and not each.fuzzy}


def _markdown(text: str, language: str) -> str:
    """Markdown in the direction of its language; code and formulas keep theirs."""
    if Locale.parse(language).character_order != "right-to-left":
        return text
    parts = _FENCED.split(text)
    turned = [RIGHT_TO_LEFT.replace("rtl", "ltr").format(text=part) if at % 2 else _prose(part)
              for at, part in enumerate(parts)]  # fmt: skip
    return RIGHT_TO_LEFT.format(text="".join(turned))


def _prose(text: str) -> str:
    """Prose from right to left, in which code and formulas run from left to right."""
    parts = _TARGET.split(text)
    return "".join(part if at % 2 else _RUNS.sub(_isolated, part) for at, part in enumerate(parts))


def _isolated(found: re.Match[str]) -> str:
    """A run of its own direction; a formula is not broken into lines, whose order would mislead."""
    run = found[1] or found[0]
    return _LEFT_TO_RIGHT.format(run if "`" in run else run.replace(" ", "\u00a0"))
