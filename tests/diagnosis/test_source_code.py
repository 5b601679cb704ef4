"""The learner's code, read from what a recording holds of it."""

import ast

import pytest

from tapelab.diagnosis.source_code import Code, Extent
from tapelab.recording.schema import Source


def code(text, first_line=1):
    return Code(Source("cell", "", first_line, text))


def test_an_expression_is_found_by_its_stretch():
    read = code("a = 1\nb = a * a + 2")
    node = read.expression(Extent(2, 4, 2, 9))
    assert ast.unparse(node) == "a * a"
    assert read.text(node) == "a * a"


def test_columns_count_characters():
    read = code('é = "ü"; b = é + é')
    assert ast.unparse(read.expression(Extent(1, 13, 1, 18))) == "é + é"


def test_the_innermost_statement_is_found():
    read = code("for i in range(3):\n    if i:\n        a = i * 2")
    assert ast.unparse(read.statement(Extent(3, 12, 3, 17))) == "a = i * 2"


def test_the_scope_is_the_function_around():
    read = code("def f(x):\n    return x * x")
    node = read.expression(Extent(2, 11, 2, 16))
    assert read.scope(node).name == "f"


PARTS_OF_FILES = {
    "inside a function": "    h = x * x\n    return h",
    "out of a function": "        h = x * x\n    return h\nprint(f(3))",
    "from the middle of a call": "        b=2)\nh = x * x",
    "to the middle of a call": "h = x * x\ny = g(\n    h,",
    "to the head of a block": "h = x * x\nif h:",
}


@pytest.mark.parametrize("text", PARTS_OF_FILES.values(), ids=PARTS_OF_FILES)
def test_a_part_of_a_long_file_is_read_as_far_as_it_goes(text):
    read = code(text, first_line=500)
    line = 500 + next(i for i, row in enumerate(text.split("\n")) if "h = x * x" in row)
    start = read.line(line).index("x * x")
    node = read.expression(Extent(line, start, line, start + 5))
    assert ast.unparse(node) == "x * x"


def test_what_is_no_python_has_no_expressions():
    assert code("x ===== 3").placed == []


def test_magics_and_shell_lines_are_passed_over():
    read = code("%time\n!ls\nh = 2")
    assert ast.unparse(read.statement(Extent(3, 0, 3, 5))) == "h = 2"
