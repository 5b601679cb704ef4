"""Build the lessons: a learner's and a solved notebook from each source in notebooks/src, and the
learner's in the languages that it is translated into.

    python -m tools.build_lessons          write the notebooks
    python -m tools.build_lessons --check  only say which are out of date

A source is a jupytext percent script. Between `### BEGIN SOLUTION` and `### END SOLUTION` stands
the solution, then, after `### INSTEAD`, what a learner finds in its place.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Final

from tapelab.authoring.lesson_works import lesson_works
from tapelab.authoring.percent_script import notebook
from tools import glossary
from tools.lesson_languages import in_language
from tools.lesson_words import TRANSLATED
from tools.words import LANGUAGES

NOTEBOOKS: Final = Path(__file__).parents[1] / "notebooks"


def main(arguments: list[str]) -> str | None:
    """Write the notebooks, or with --check complain about those that differ from their sources."""
    wanted = built()
    stale = [path for path, text in wanted.items() if _read(path) != text]
    if "--check" in arguments:
        names = ", ".join(path.relative_to(NOTEBOOKS).as_posix() for path in stale)
        return f"Out of date: {names}. Run python -m tools.build_lessons." if stale else None
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
        print(f"wrote {path.relative_to(NOTEBOOKS)}")
    return None


@cache
def built() -> dict[Path, str]:
    """Every notebook that should be there, with its text."""
    notebooks = {}
    for work in lesson_works(NOTEBOOKS / "src"):
        name = f"{work.name}.ipynb"
        notebooks[NOTEBOOKS / name] = notebook(work, solved=False)
        notebooks[NOTEBOOKS / "solutions" / name] = notebook(work, solved=True)
        for language in LANGUAGES if work.name[:2] in TRANSLATED else ():
            own = in_language(notebooks[NOTEBOOKS / name], language)
            notebooks[NOTEBOOKS / language / name] = own
    english = {path.stem: notebooks[path] for path in notebooks if path.parent == NOTEBOOKS}
    words = glossary.notebook(english)
    return notebooks | {
        path / glossary.NAME: words for path in (NOTEBOOKS, NOTEBOOKS / "solutions")
    }


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
