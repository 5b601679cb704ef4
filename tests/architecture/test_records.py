"""Only `core/records.py` knows where a field of a record stands; all else goes by names."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tapelab.core import records

PACKAGE = Path(__file__).parents[2] / "tapelab"
HOME = PACKAGE / "core" / "records.py"
FORMS = {
    name: form._fields
    for name, form in vars(records).items()
    if isinstance(form, type) and getattr(form, "_fields", ())[:1] == ("kind",)
}
ONE = re.compile(rf"({'|'.join(['Record', 'NamedRecord', *FORMS])})( \| None)?")
MANY = re.compile(rf".*\[.*\b({'|'.join(['Record', 'NamedRecord', *FORMS])})\b.*\]")
PASSED_ON = {"reversed", "sorted", "list", "tuple", "iter", "chain", "filter", "islice"}
FAST_PATHS = {"core/execute.py", "core/fast_path.py"}
"""Here a record is written out as a tuple, for a call costs as much as the tuple itself."""
GENERATED = {"core/backward_fast_path.py"}
"""Written by a tool with `records.fields_source`; `tests/core/test_backward.py` runs the tool."""


class Function:
    """Tells records from other values in one function, by annotations and by names."""

    def __init__(self, tree: ast.AST) -> None:
        self.tree = tree
        self.one, self.many = {"record"}, {"records", "recent"}
        for node in ast.walk(tree):
            if isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation is not None:
                name = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
                kind = ast.unparse(node.annotation).strip("'")
                self.one |= {name} if ONE.fullmatch(kind) else set()
                self.many |= {name} if MANY.fullmatch(kind) else set()
        for node in ast.walk(tree):
            if isinstance(node, (ast.For, ast.comprehension)) and self.holds_records(node.iter):
                self.one |= {node.target.id} if isinstance(node.target, ast.Name) else set()

    def holds_records(self, node: ast.AST) -> bool:
        match node:
            case ast.Name(id=name):
                return name in self.many
            case ast.Attribute(attr=name):
                return name == "records"
            case ast.Subscript(value=value, slice=ast.Slice()):
                return self.holds_records(value)
            case ast.Call(func=ast.Name(id=name), args=args) if name in PASSED_ON:
                return any(map(self.holds_records, args))
            case ast.BinOp(left=left, right=right):
                return self.holds_records(left) or self.holds_records(right)
        return False

    def is_record(self, node: ast.AST) -> bool:
        match node:
            case ast.Name(id=name):
                return name in self.one
            case ast.Attribute(attr=name):
                return name == "record"
            case ast.Subscript(value=value, slice=index):
                return self.holds_records(value) and not isinstance(index, ast.Slice)
            case ast.Call(func=ast.Name(id=name)):
                return name in {"as_op_run", "named", "view", *FORMS}
        return False

    def positions(self) -> list[str]:
        """The places where a field is read by its position."""
        return [ast.unparse(node) for node in ast.walk(self.tree) if self._goes_by_position(node)]

    def _goes_by_position(self, node: ast.AST) -> bool:
        match node:
            case ast.Subscript(value=value) | ast.Starred(value=value):
                return self.is_record(value)
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value):
                return self.is_record(value)
            case ast.For(target=ast.Tuple(), iter=values):
                return self.holds_records(values)
            case ast.comprehension(target=ast.Tuple(), iter=values):
                return self.holds_records(values)
        return False


def read_by_position(source: str) -> list[str]:
    """The expressions of a module that read a field of a record by its position."""
    tree = ast.parse(source)
    kinds = (ast.FunctionDef, ast.Lambda)
    places = (Function(node).positions() for node in ast.walk(tree) if isinstance(node, kinds))
    return sorted({place for found in places for place in found})


def written_by_position(source: str) -> list[ast.Tuple]:
    """The records of a module that are written out as tuples."""
    tuples = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Tuple))
    return [node for node in tuples if _is_record_literal(node)]


def _is_record_literal(node: ast.Tuple) -> bool:
    names = [each.id if isinstance(each, ast.Name) else "" for each in node.elts]
    return len(names) > 1 and names[0] in FORMS and names[1] not in FORMS


def fits_its_form(node: ast.Tuple) -> bool:
    """Whether a tuple has all fields of its form, and no field is in the place of another one.

    The serial may stand for the id of the result: it is the same number.
    """
    form, *names = [each.id if isinstance(each, ast.Name) else "" for each in node.elts]
    fields = FORMS[form][1:]
    return len(names) == len(fields) and not any(
        name in fields and name != field and (name, field) != ("serial", "result_ids")
        for name, field in zip(names, fields, strict=True)
    )


MODULES = {
    path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
    if path != HOME and "tapelab.core" in path.read_text(encoding="utf-8")
}


@pytest.mark.parametrize("module", [name for name in MODULES if name not in GENERATED])
def test_fields_of_records_are_read_by_name(module):
    assert read_by_position(MODULES[module]) == []


@pytest.mark.parametrize("module", MODULES)
def test_records_are_written_by_name_but_for_the_fast_paths(module):
    written = written_by_position(MODULES[module])
    assert module in FAST_PATHS or not [ast.unparse(node) for node in written]


@pytest.mark.parametrize("module", sorted(FAST_PATHS))
def test_a_record_written_in_a_fast_path_has_the_form_that_is_declared(module):
    written = written_by_position(MODULES[module])
    assert written
    assert [ast.unparse(node) for node in written if not fits_its_form(node)] == []


@pytest.mark.parametrize(
    "source",
    [
        "def f(record): return record[7]",
        "def f(record): _, serial, *_ = record",
        "def f(run: OpRun): return (*run[:5], 1)",
        "def f(each: Record | None): return each[0]",
        "def f(log): return [each[0] for each in log.records]",
        "def f(log): return log.records[-1][3]",
        "def f(xs: Iterable[Record]):\n for x in reversed(xs): g(x[0])",
        "def f(log):\n for kind, *_ in log.records: g(kind)",
        "def f(record): return g(*as_op_run(record))",
        "def f(self): return self.record[5]",
    ],
)
def test_reading_by_position_is_noticed(source):
    assert read_by_position(source)


@pytest.mark.parametrize(
    "source",
    [
        "def f(record): return kind_of(record)",
        "def f(run: OpRun): return run.inputs[0]",
        "def f(log, at): return log.records[at]",
        "def f(log): return [view(OpRun, each).results for each in log.records[1:]]",
        "def f(runs: Sequence[OpRun]): return columns_of(runs).serial[0]",
    ],
)
def test_reading_by_name_is_not(source):
    assert read_by_position(source) == []


@pytest.mark.parametrize(
    ("literal", "fits"),
    [
        ("(TapePaused, serial, state['number'], origin, tape)", True),
        ("(TapePaused, number, thread, origin, tape)", True),
        ("(TapePaused, serial, origin, thread, tape)", False),
        ("(TapePaused, serial, thread, origin)", False),
    ],
)
def test_a_record_that_does_not_fit_its_form_is_noticed(literal, fits):
    (node,) = written_by_position(literal)
    assert fits_its_form(node) == fits


def test_a_tuple_of_forms_is_no_record():
    assert written_by_position("(TapePaused, TapeResumed)") == []
