"""OK tests, as Otter and its elders have them: a dict of suites of doctests, read but never run.

A test file is Python. What it says is taken from its text alone, so that reading one is harmless.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent
from typing import Any

from tapelab.grading.formats.csv_tables import UnreadableFormat, format_points


@dataclass(frozen=True)
class Case:
    """One doctest; `points` is None where the test divides its own."""

    code: str
    hidden: bool = True
    points: float | None = None
    name: str = ""
    success_message: str = ""
    failure_message: str = ""


@dataclass(frozen=True)
class Question:
    """The cases of one question; `points` is for all of them, one by one, or left to the cases."""

    name: str
    cases: tuple[Case, ...]
    points: float | tuple[float | None, ...] | None = None
    all_or_nothing: bool = False

    def resolved(self) -> tuple[Case, ...]:
        """The cases, each with its points, as Otter divides them.

        A sum is divided evenly among the cases that name none; without any, a question is worth 1.
        """
        own = self._own_points()
        open_ones = sum(each is None for each in own)
        data = sum(each for each in own if each is not None)
        total = self.points if isinstance(self.points, int | float) else None
        if total is None:
            total = data if any(own) else 1.0
        if data > total:
            raise UnreadableFormat(
                f"The cases of {self.name!r} have {format_points(data)} points, the question "
                f"{format_points(total)}."
            )
        share = (total - data) / open_ones if open_ones else 0.0
        return tuple(
            replace(case, points=share if points is None else points)
            for case, points in zip(self.cases, own, strict=True)
        )

    def _own_points(self) -> tuple[float | None, ...]:
        if not isinstance(self.points, tuple):
            return tuple(case.points for case in self.cases)
        if len(self.points) != len(self.cases):
            raise UnreadableFormat(
                f"{self.name!r} has points for {len(self.points)} cases and {len(self.cases)} "
                "cases. Give one number for each."
            )
        return self.points


def read_test(path: Path) -> Question:
    """The test in a file; UnreadableFormat where there is none."""
    try:
        return parse_test(path.read_text("utf-8-sig"), name=path.name)
    except UnicodeDecodeError:
        raise UnreadableFormat(f"{path.name} is not in UTF-8.") from None


def parse_test(text: str, *, name: str = "The test") -> Question:
    """As `read_test`, from the text of a test file."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnreadableFormat(f"{name} is no Python: {error}.") from None
    for node in body:
        if isinstance(node, ast.Assign) and _names(node) == ["test"]:
            return from_spec(_literal(node.value, name), name=name)
    raise UnreadableFormat(f"{name} has no `test = {{...}}`, which an OK test consists of.")


def from_spec(spec: Any, *, name: str = "The test") -> Question:
    """The test that a dict describes, such as in the metadata of a notebook."""
    suite = _only_suite(spec, name)
    cases = suite.get("cases")
    if not isinstance(cases, list) or not all(isinstance(each, dict) for each in cases):
        raise UnreadableFormat(f"{name} has a suite without a list of cases.")
    title = str(spec.get("name", name))
    test = Question(
        title, tuple(_case(each, name) for each in cases), _all_points(spec.get("points"), name),
        spec.get("all_or_nothing", False) is True,
    )  # fmt: skip
    test.resolved()
    return test


def doctest_of(source: str) -> str:
    """Statements as the examples of a doctest that prints nothing where all is well."""
    lines = []
    for statement in ast.parse(dedent(source)).body:
        first, *rest = ast.unparse(statement).split("\n")
        lines += [f">>> {first}", *(f"... {line}" for line in rest)]
    return "\n".join(lines)


def _only_suite(spec: Any, name: str) -> Mapping[str, Any]:
    suites = spec.get("suites") if isinstance(spec, dict) else None
    if not isinstance(suites, list) or len(suites) != 1 or not isinstance(suites[0], dict):
        raise UnreadableFormat(f"{name} has to be a dict with one suite, as Otter reads it.")
    kind = suites[0].get("type", "doctest")
    if kind != "doctest":
        raise UnreadableFormat(f"{name} has a suite of type {kind!r}; only doctest is known.")
    for key in ("setup", "teardown"):
        if suites[0].get(key):
            raise UnreadableFormat(
                f"{name} has a {key}, which Otter refuses, too. Put it into each case."
            )
    return suites[0]


def _case(spec: Mapping[str, Any], name: str) -> Case:
    code = spec.get("code")
    if not isinstance(code, str):
        raise UnreadableFormat(f"{name} has a case without `code`.")
    data = {key: str(spec.get(key) or "") for key in ("name", "success_message", "failure_message")}
    hidden = spec.get("hidden", True) is not False
    return Case(dedent(code), hidden, _points(spec.get("points"), name), **data)


def _all_points(value: Any, name: str) -> float | tuple[float | None, ...] | None:
    if isinstance(value, list | tuple):
        return tuple(_points(each, name) for each in value)
    return _points(value, name)


def _points(value: Any, name: str) -> float | None:
    if value is None or (type(value) in {int, float} and 0 <= value < float("inf")):
        return None if value is None else value
    raise UnreadableFormat(f"{name} has {json.dumps(value, default=repr)} for its points.")


def _names(node: ast.Assign) -> Sequence[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]


def _literal(node: ast.expr, name: str) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise UnreadableFormat(
            f"{name} computes its test, at line {node.lineno}. Write out what it comes to: "
            "test files are read and never run."
        ) from None
