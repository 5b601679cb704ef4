from __future__ import annotations

import ast

import pytest

from tapelab.lab import surgery


def parsed(code):
    return ast.parse(code)


@pytest.mark.parametrize(
    ("code", "tapes"),
    [
        ("z = x * y", []),
        ("with tf.GradientTape() as t:\n    z = x", ["t"]),
        ("with tf.GradientTape():\n    z = x", [""]),
        ("with tf.GradientTape() as a:\n    1\nwith GradientTape(True) as b:\n    2", ["a", "b"]),
        ("with tf.GradientTape() as o:\n    with tf.GradientTape() as i:\n        1", ["o"]),
        ("for i in y:\n    with tf.GradientTape() as t:\n        1", ["t"]),
        ("with open('f') as f, tf.GradientTape() as t:\n    1", ["t"]),
        ("with open('f') as f:\n    1", []),
    ],
)
def test_the_outermost_tapes_of_a_cell_are_found_in_order(code, tapes):
    assert list(surgery.tapes_opened(parsed(code))) == tapes


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("y = 1\nz = x * y", "z"),
        ("z: float = x", "z"),
        ("z += x", "z"),
        ("z = 1\nz", "z"),
        ("with t:\n    z = 1", "z"),
        ("print(z)", ""),
        ("a, b = 1, 2", ""),
        ("", ""),
    ],
)
def test_the_result_of_a_cell_is_what_its_last_line_names(code, name):
    assert surgery.result_of(parsed(code).body) == name


def test_a_cell_on_a_tape_keeps_its_lines_and_columns():
    code = parsed("\nz = x * y")
    whole = surgery.on_a_tape(code, "%%tape z")
    product = whole.body[0].body[0].value
    assert (product.lineno, product.col_offset, product.end_col_offset) == (2, 4, 9)
    opened = whole.body[0].items[0].context_expr
    assert (opened.lineno, opened.col_offset, opened.end_col_offset) == (1, 0, 8)
    compile(whole, "cell", "exec")


def test_an_empty_cell_can_stand_on_a_tape():
    compile(surgery.on_a_tape(parsed(""), "%%tape"), "cell", "exec")


def test_the_value_of_a_last_expression_is_kept():
    code, space = parsed("1 + 1\n2 + 3"), {}
    surgery.keep_last_value(code)
    exec(compile(code, "cell", "exec"), space)
    assert space[surgery.VALUE] == 5


def test_a_last_statement_has_no_value():
    code = parsed("x = 1")
    surgery.keep_last_value(code)
    assert surgery.VALUE not in ast.unparse(code)


def test_the_call_names_the_tape_the_target_and_the_sources():
    def called(names):
        return ast.unparse(surgery.showing("tape", names, "%%tape"))

    assert called([]) == f"{surgery.SHOW}(tape)"
    assert called(["z"]) == f"{surgery.SHOW}(tape, z)"
    assert called(["z", "x", "y"]) == f"{surgery.SHOW}(tape, z, [x, y])"
