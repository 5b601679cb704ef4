"""Which ops run together, which do not, and how operands lie."""

from __future__ import annotations

import numpy as np
import pytest
from compile.fusion.drawing import Drawing

from tapelab.compile.fusion.bytecode import encoded, expanded
from tapelab.compile.fusion.fusion_group import Group, Operand, Placement, Step, broadcast
from tapelab.compile.fusion.group_plan import plan
from tapelab.compile.fusion.partition import units
from tapelab.ops.arithmetic import add, add_n
from tapelab.ops.powers import exp

LONG = np.linspace(1, 2, 100, dtype=np.float32)


def names(drawing, results):
    """The ops of each unit, in order."""
    program = drawing.program(results)
    found, _ = units(program)
    return [[program.instructions[at].op.name for at in unit.members] for unit in found]


@pytest.fixture
def drawing():
    return Drawing()


def test_ops_on_one_shape_run_together_with_the_sum_of_them(drawing):
    x = drawing.parameter((100,), value=LONG)
    y = drawing.run("exp", drawing.run("negative", x))
    total = drawing.run("reduce_sum", y, axis=None, keepdims=False)
    assert names(drawing, [total]) == [["negative", "exp", "reduce_sum"]]


def test_what_needs_a_sum_waits_for_it(drawing):
    x = drawing.parameter((100,), value=LONG)
    total = drawing.run("reduce_sum", drawing.run("exp", x), axis=None, keepdims=False)
    y = drawing.run("divide", x, total)
    assert names(drawing, [y]) == [["exp", "reduce_sum"], ["divide"]]


def test_what_needs_another_op_waits_for_it(drawing):
    x = drawing.parameter((10, 10), value=LONG.reshape(10, 10))
    y = drawing.run("tanh", drawing.run("matmul", drawing.run("exp", x), x))
    z = drawing.run("add", y, x)
    assert names(drawing, [z]) == [["exp"], ["matmul"], ["tanh", "add"]]


def test_two_strands_that_meet_are_one_pass(drawing):
    x, y = drawing.parameter((100,), value=LONG), drawing.parameter((100,), value=LONG)
    z = drawing.run("multiply", drawing.run("exp", x), drawing.run("tanh", y))
    assert names(drawing, [z]) == [["exp", "tanh", "multiply"]]


def test_strands_that_share_an_array_are_one_pass_and_others_are_not(drawing):
    x, y = drawing.parameter((100,), value=LONG), drawing.parameter((100,), value=LONG)
    results = [drawing.run("exp", x), drawing.run("tanh", x), drawing.run("sin", y)]
    assert names(drawing, results) == [["exp", "tanh"], ["sin"]]


def test_numbers_are_worked_out_together_whatever_they_share(drawing):
    x, y = drawing.parameter(()), drawing.parameter(())
    results = [drawing.run("exp", x), drawing.run("tanh", y)]
    assert names(drawing, results) == [["exp", "tanh"]]


def test_arrays_of_unlike_cuts_do_not_share_a_pass(drawing):
    x = drawing.parameter((4, 20, 20), value=np.ones((4, 20, 20), np.float32))
    rows = drawing.parameter((20,), value=np.ones(20, np.float32))
    planes = drawing.parameter((20, 20), value=np.ones((20, 20), np.float32))
    y = drawing.run("add", drawing.run("multiply", x, rows), planes)
    assert names(drawing, [y]) == [["multiply"], ["add"]]


def test_dtypes_that_are_not_known_stay_with_numpy(drawing):
    x = drawing.parameter((100,), value=LONG.astype(np.float16))
    z = drawing.run("multiply", drawing.run("exp", x), x)
    assert names(drawing, [z]) == [["exp"], ["multiply"]]


def test_floats_become_whole_numbers_by_numpy(drawing):
    x = drawing.parameter((100,), value=LONG)
    whole = drawing.run("cast", drawing.run("exp", x), dtype=np.dtype(np.int32))
    assert names(drawing, [whole]) == [["exp"], ["cast"]]


@pytest.mark.parametrize(
    ("shape", "whole", "lying"),
    [
        ((), (4, 5), Placement("one")),
        ((1, 1), (4, 5), Placement("one")),
        ((4, 5), (4, 5), Placement("full")),
        ((5,), (4, 5), Placement("row", 1)),
        ((4, 1), (4, 5), Placement("column", 1)),
        ((3, 1, 1), (3, 4, 5), Placement("column", 1)),
        ((4, 5), (3, 4, 5), Placement("row", 1)),
        ((3, 1, 5), (3, 4, 5), None),
        ((4, 1), (3, 4, 5), None),
        ((5, 1), (1, 5, 1), Placement("full")),
        ((5,), (1, 5), Placement("full")),
    ],
)
def test_operands_lie_in_full_by_rows_or_by_columns(shape, whole, lying):
    assert broadcast(shape, whole) == lying


def test_constants_that_are_one_number_are_no_arrays(drawing):
    x = drawing.parameter((100,), value=LONG)
    ones = drawing.constant(np.ones(100, np.float32))
    thirds = drawing.constant(np.full(100, 1 / 3, np.float32))
    y = drawing.run("multiply", drawing.run("subtract", ones, x), thirds)
    program = drawing.program([y])
    found, entries = units(program)
    made = plan(found[0], program, entries, {y})
    assert made.inputs == (x, np.float32(1 / 3))
    assert [each.layout for each in made.group.operands] == ["full", "one"]


def test_registers_are_used_again():
    steps = tuple(Step(exp, (at,), (), "float") for at in range(1000))
    group = Group(1, 1, 1, (Operand("full", "float", scalar=True),), steps, (1000,), ())
    assert encoded(group).room.size < 500


def test_sums_of_many_become_sums_of_two():
    operands = (Operand("full", "float"),) * 4
    steps = (Step(add_n, (0, 1, 2, 3), (), "float"), Step(exp, (4,), (), "float"))
    found = expanded(Group(1, 9, 9, operands, steps, (5,), ()))
    assert [each.op for each in found.steps] == [add, add, add, exp]
    assert found.steps[-1].inputs == (6,)
    assert found.stored == (7,)
