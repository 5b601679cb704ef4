"""The wrong answers that the tests foresee, as a teacher reads them.

A test of a lesson keeps them in its table FORESEEN, and holds each to its points and to what is
said to it. Here they are judged once more, and shown in full.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from tapelab.exercises import judge
from tapelab.exercises.registry import LESSONS, find
from tapelab.exercises.verdict import Verdict
from tapelab.lab.lesson_folder import lessons, shipped_folder

TESTS: Final = "tests.exercises.lessons.test_lesson_{}"
TABLE: Final = "FORESEEN"
_STOPPED: Final = re.compile(r" at line \d+, `.*?`,(?= with )")
"""Where the answer of a test stopped, which is of no use to a teacher."""
_PLAIN: Final = (str, int, float, type(None), type(...))


@dataclass(frozen=True)
class Wrong:
    """A wrong answer: what it earns, which checks it fails, what is said, and what is found."""

    exercise: str
    answer: str
    points: float
    missing: tuple[str, ...]
    said: tuple[str, ...]
    codes: tuple[str, ...]


def described() -> str:
    """All lessons, all exercises, all wrong answers, as Markdown."""
    titles = {lesson.name[:2]: lesson.title for lesson in lessons(shipped_folder())}
    return "\n".join(line for number in LESSONS for line in _lesson(number, titles[number]))


def _lesson(number: str, title: str) -> Iterator[str]:
    yield f"## {title}\n"
    answers = foreseen(number)
    for exercise in LESSONS[number]:
        wrong = [each for each in answers if each.exercise == exercise.id]
        yield f"### {exercise.id} {exercise.title} ({exercise.points} points)\n"
        yield from _table(wrong) if wrong else ()


def _table(wrong: list[Wrong]) -> Iterator[str]:
    yield "```{list-table}\n:header-rows: 1\n:widths: 40 10 50\n"
    yield "* - the answer\n  - points\n  - what is said"
    for each in wrong:
        said = " ".join(each.said) or f"*Missing:* {', '.join(each.missing)}."
        found = "".join(f" (`{code}`)" for code in each.codes)
        yield f"* - {each.answer}\n  - {each.points:g}\n  - {said}{found}"
    yield "```\n"


def foreseen(number: str) -> list[Wrong]:
    """The answers in the table of a lesson that do not earn all points, each once."""
    module = import_module(TESTS.format(number))
    rows = getattr(module, TABLE)
    right = {row[0]: _returned(row[1]) for row in reversed(rows) if row[2] == find(row[0]).points}
    found: dict[tuple[str, str], Wrong] = {}
    for (exercise, answer, *_), code in zip(rows, _code(module), strict=True):
        verdict = judge(find(exercise), answer)
        if verdict.points < verdict.of:
            text = _answer(code, _returned(answer), right.get(exercise))
            found[exercise, text] = _wrong(verdict, text)
    return list(found.values())


def _wrong(verdict: Verdict, text: str) -> Wrong:
    """What came of an answer, check by check."""
    failed = [each for each in verdict.judged if each.outcome.points < each.of]
    outcomes, missing = [each.outcome for each in failed], tuple(each.title for each in failed)
    said = tuple(_STOPPED.sub("", each.text.split("\n")[0]) for each in outcomes if each.text)
    codes = tuple(dict.fromkeys(each.code for each in outcomes if each.code))
    return Wrong(verdict.exercise.id, text, verdict.points, missing, said, codes)


def _code(module: ModuleType) -> list[ast.expr]:
    """How each answer is written in the table."""
    for statement in ast.parse(inspect.getsource(module)).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=rows)) if (
                name == TABLE
            ):
                return [row.elts[1] for row in rows if isinstance(row, ast.Tuple)]
    raise LookupError(f"{module.__name__} has no list {TABLE}.")


def _answer(code: ast.expr, returned: Any, right: Any) -> str:
    """An answer in a few words: what it returns where that is plain, else how it is written."""
    if isinstance(returned, dict) and isinstance(right, dict):
        changed = {key: each for key, each in returned.items() if each != right.get(key)}
        return ", ".join(f"`{key}`: {_shown(each)}" for key, each in changed.items())
    if returned is not _OTHER:
        return _shown(returned)
    match code:
        case ast.Name(id=name):
            return name.replace("_", " ").capitalize()
        case ast.Lambda(body=body):
            return f"`{ast.unparse(body)}`"
    return f"`{ast.unparse(code)}`"


_OTHER: Final = object()
"""Stands for what an answer returns that cannot be written out, such as a tape."""


def _returned(answer: Callable[..., Any]) -> Any:
    """What an answer without arguments returns, where that is plain."""
    given = inspect.signature(answer).parameters.values()
    if any(each.default is each.empty for each in given):
        return _OTHER
    try:
        returned = answer()
    except Exception:  # noqa: BLE001 - a wrong answer may well be one that stops
        return _OTHER
    return returned if _is_plain(returned) else _OTHER


def _is_plain(thing: Any) -> bool:
    if isinstance(thing, dict):
        return all(map(_is_plain, thing.values()))
    if isinstance(thing, list | tuple):
        return all(map(_is_plain, thing))
    return isinstance(thing, _PLAIN)


def _shown(thing: Any) -> str:
    """A plain value as a learner would write it."""
    match thing:
        case dict():
            inner = ", ".join(f"{key!r}: {_bare(each)}" for key, each in thing.items())
            return f"`{{{inner}}}`"
    return f"`{_bare(thing)}`"


def _bare(thing: Any) -> str:
    match thing:
        case float():
            return f"{thing:.6g}"
        case list():
            return f"[{', '.join(map(_bare, thing))}]"
        case tuple():
            return f"({', '.join(map(_bare, thing))})"
        case _ if thing is ...:
            return "..."
    return repr(thing)
