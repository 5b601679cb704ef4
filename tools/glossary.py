"""The glossary beside the lessons and in the Explorer, made of the page of the documentation.

    python -m tools.glossary    write what the Explorer says of the words that it uses

The notebook beside the lessons is written by tools.build_lessons.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

CHECKOUT: Final = Path(__file__).parents[1]
PAGE: Final = CHECKOUT / "docs" / "reference" / "glossary.md"
NAME: Final = "glossary.ipynb"
EXPLORER: Final = CHECKOUT / "extension" / "src" / "extras" / "glossary.ts"
SHOWN: Final = (
    *("watch", "tape", "record", "path", "target", "source"),
    *("cotangent", "upstream gradient", "local derivative", "contribution", "fan-out"),
)
"""The words that a picture uses, in the order in which a learner meets them."""
_TERM: Final = re.compile(r"^## (.+)\n\n(.+(?:\n.+)*)", re.MULTILINE)
_HERE: Final = re.compile(r"\]\(#([\w-]+)\)")
_ELSEWHERE: Final = re.compile(r"\[([^\]]+)\]\([^)#]+\.md[^)]*\)")
_USED: Final = re.compile(rf"\({re.escape(NAME)}#([\w-]+)\)")
_KERNEL: Final = {"display_name": "Python 3", "language": "python", "name": "python3"}


@cache
def terms() -> dict[str, str]:
    """Each term with its paragraph on one line, in the order of the page."""
    page = PAGE.read_text(encoding="utf-8")
    return {found[1]: " ".join(found[2].split()) for found in _TERM.finditer(page)}


def anchor(term: str) -> str:
    """Where a term stands in the notebook: JupyterLab keeps capital letters, a site does not."""
    return term.replace(" ", "-")


def used(text: str) -> list[str]:
    """The places in the glossary that a lesson leads to."""
    return _USED.findall(text)


def notebook(lessons: dict[str, str]) -> str:
    """The glossary as a notebook, for lessons by their names and texts."""
    title = "# Glossary\n\nThe words of the field, and the lessons that use them."
    parts = [title, *(_entry(term, definition, lessons) for term, definition in terms().items())]
    cells = [_cell(number, text) for number, text in enumerate(parts)]
    about = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    content = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _entry(term: str, definition: str, lessons: dict[str, str]) -> str:
    """One term: what it means, and where it is met. What other pages say is named, not linked."""
    by_anchor = {anchor(each).lower(): anchor(each) for each in terms()}
    text = _HERE.sub(lambda found: f"](#{by_anchor[found[1]]})", _ELSEWHERE.sub(r"\1", definition))
    met = [f"[{name[:2]}]({name}.ipynb)" for name, text in lessons.items() if _is_met(term, text)]
    lesson = f"\n\nLesson {', '.join(met)}." if met else ""
    return f"## {term}\n\n{text}{lesson}"


def _is_met(term: str, text: str) -> bool:
    return anchor(term) in used(text)


def _cell(number: int, text: str) -> dict[str, Any]:
    """One Markdown cell."""
    source = text.splitlines(keepends=True)
    return {
        "cell_type": "markdown",
        "id": f"glossary-{number:02}",
        "metadata": {},
        "source": source,
    }


def in_short(term: str) -> str:
    """The first sentence about a term."""
    return terms()[term].split(". ")[0].removesuffix(".") + "."


def for_explorer() -> str:
    """The words that a picture uses, each followed by its first sentence, as TypeScript."""
    lines = [f"  '{text}',\n" for term in SHOWN for text in (term, in_short(term))]
    head = "/** @said The words of a picture and what they mean, by python -m tools.glossary. */\n"
    return f"{head}export const GLOSSARY = [\n{''.join(lines)}] as const;\n"


if __name__ == "__main__":
    EXPLORER.write_text(for_explorer(), encoding="utf-8")
