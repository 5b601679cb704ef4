"""The tests of a question of Otter Assign: cells of code, with what they are worth at their top."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any, Final

from tapelab.grading.formats.grades import UnreadableFormat
from tapelab.grading.formats.notebooks import CODE, Cell
from tapelab.grading.formats.ok import Case, doctest_of

_BEGIN: Final = re.compile(r'(?:.\s*=\s*)?""?"?\s*#\s*BEGIN\s*TEST\s*CONFIG', re.IGNORECASE)
_END: Final = re.compile(r'""?"?\s*#\s*END\s*TEST\s*CONFIG', re.IGNORECASE)
_HIDDEN: Final = re.compile(r"\s*#.*\bhidden\b", re.IGNORECASE)


def case_of(cell: Cell, question: str, *, functions: bool = False) -> Case:
    """The case that a test cell comes to, as an OK test has it.

    It has the statements, then what the cell showed when the teacher ran it. With `functions`,
    tests are functions that raise where they fail, called with the names that they ask for.
    """
    if cell.kind != CODE:
        raise UnreadableFormat(f"The tests of {question!r} have a cell that is not code.")
    first, _, _ = cell.source.partition("\n")
    hidden = bool(_HIDDEN.match(first))
    config, source = _configured(cell.source, question)
    try:
        body = doctest_of(_called(source, question)) if functions else _body(source, cell.shown)
    except SyntaxError as error:
        raise UnreadableFormat(f"A test of {question!r} is no Python: {error}.") from None
    return Case(
        body, config.get("hidden", hidden) is True, config.get("points"),
        success_message=str(config.get("success_message") or ""),
        failure_message=str(config.get("failure_message") or ""),
    )  # fmt: skip


def _body(source: str, shown: str) -> str:
    return "\n".join(filter(None, (doctest_of(source), shown.rstrip("\n"))))


def _called(source: str, question: str) -> str:
    body = ast.parse(source).body
    if not body or not isinstance(body[0], ast.FunctionDef):
        raise UnreadableFormat(f"A test of {question!r} has to begin with its function.")
    function = body[0]
    function.decorator_list = []
    names = [each.arg for each in function.args.args]
    given = ", ".join("env=globals()" if name == "env" else f"{name}={name}" for name in names)
    return f"{ast.unparse(function)}\n{function.name}({given})"


def _configured(source: str, question: str) -> tuple[Mapping[str, Any], str]:
    """What a test says of itself in a text at its top, and the test below it."""
    lines = source.split("\n")
    if not _BEGIN.match(lines[0]):
        return {}, source
    ends = [at for at, line in enumerate(lines) if _END.match(line)]
    if not ends:
        raise UnreadableFormat(f"A test of {question!r} has BEGIN TEST CONFIG and no end of it.")
    import yaml

    try:
        said = yaml.safe_load("\n".join(lines[1 : ends[0]]))
    except yaml.YAMLError as error:
        raise UnreadableFormat(f"What a test of {question!r} says is no YAML: {error}.") from None
    if not isinstance(said, dict):
        raise UnreadableFormat(f"What a test of {question!r} says has to be `name: value`.")
    return said, "\n".join(lines[ends[0] + 1 :])
