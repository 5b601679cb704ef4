"""Lines before and after: edits keep what they do not mean to change."""

import ast

import pytest

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Fix
from tapelab.diagnosis.source_code import Code
from tapelab.recording.schema import Source


def code(text):
    return Code(Source("cell", "", 1, text))


def call(read, name):
    nodes = (node for node in ast.walk(read.tree) if isinstance(node, ast.Call))
    return next(node for node in nodes if ast.unparse(node.func) == name)


def test_a_replacement_leaves_the_rest_of_the_line():
    read = code("if a:\n    y = f(x)  # kept")
    fix = edits.fix(read, [edits.replaced(read, call(read, "f"), "g(x)")])
    assert fix == Fix("y = f(x)  # kept", "y = g(x)  # kept", 2)


def test_applying_a_fix_puts_the_indentation_back():
    text = "if a:\n    y = f(x)\n    z = 1"
    fix = Fix("y = f(x)", "h = x\ny = g(h)", 2)
    assert fix.apply(text) == "if a:\n    h = x\n    y = g(h)\n    z = 1"


def test_a_fix_does_not_apply_to_other_code():
    with pytest.raises(ValueError, match="Line 1 of this code is not"):
        Fix("y = f(x)", "y = g(x)", 1).apply("y = h(x)")


def test_no_change_is_no_fix():
    read = code("y = f(x)")
    assert edits.fix(read, []) is None
    assert edits.fix(read, [edits.replaced(read, call(read, "f"), "f(x)")]) is None


def test_a_fix_of_many_lines_is_not_shown():
    read = code("y = f(x)\n" + "pass\n" * 20 + "z = g(x)")
    changes = [edits.replaced(read, call(read, name), "x") for name in ("f", "g")]
    assert edits.fix(read, changes) is None


@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        ("y = f(x) * 2", "x + 1", "(x + 1)"),
        ("y = f(x) * 2", "(x + 1)", "(x + 1)"),
        ("y = f(x) * 2", "(x) + (1)", "((x) + (1))"),
        ("y = f(x)", "x + 1", "x + 1"),
        ("y = g(f(x))", "x + 1", "x + 1"),
        ("y = f(x)[0]", "x + 1", "(x + 1)"),
        ("y = -f(x)", "h", "h"),
    ],
)
def test_brackets_stand_only_where_they_are_needed(line, text, expected):
    read = code(line)
    assert edits.bracketed(read, call(read, "f"), text) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("f(1, a=2, b=3)", "f(1, b=3)"),
        ("f(1, a=2)", "f(1)"),
        ("f(a=2)", "f()"),
        ("f(a=2, b=3)", "f(b=3)"),
    ],
)
def test_an_argument_goes_with_its_comma(line, expected):
    read = code(line)
    node = call(read, "f")
    change = edits.without_argument(read, node, next(k for k in node.keywords if k.arg == "a"))
    assert edits.fix(read, [change]).after == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("with t:\n    y = 1", "with t:\n    go()"),
        ("with t: y = 1", "with t: go(); y = 1"),
        ("if a:\n    with t:\n        y = 1", "with t:\n    go()"),
    ],
)
def test_a_line_at_the_start_of_a_block(text, expected):
    read = code(text)
    block = next(node for node in ast.walk(read.tree) if isinstance(node, ast.With))
    assert edits.fix(read, [edits.first_in_block(read, block, "go()")]).after == expected


def test_a_statement_beside_others_goes_with_its_semicolon():
    read = code("a = 1; b = 2; c = 3")
    first, second, third = read.tree.body
    assert edits.fix(read, [edits.removed(read, first)]).after == "b = 2; c = 3"
    assert edits.fix(read, [edits.removed(read, second)]).after == "a = 1; c = 3"
    assert edits.fix(read, [edits.removed(read, third)]).after == "a = 1; b = 2"
