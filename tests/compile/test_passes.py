"""What each pass leaves of a small program, and that the results stay the same, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab  # noqa: F401 - it declares all ops
from tapelab.compile import passes
from tapelab.compile.codegen import generate_code
from tapelab.compile.program import Instruction, Kind, Program
from tapelab.core.op import REGISTRY

VECTOR = Kind((3,), np.dtype(np.float32))
X = np.array([-0.0, 1.5, np.inf], np.float32)


def program(lines, results, constants=None, kinds=None):
    """A program of one parameter in slot 0; slots are vectors by default."""
    written = tuple(
        Instruction(REGISTRY[name], inputs, tuple(settings.items()), (output,))
        for name, inputs, settings, output in lines
    )
    slots = {0, *(constants or {}), *(output for *_, output in lines)}
    known = {slot: Kind(value.shape, value.dtype) for slot, value in (constants or {}).items()}
    all_kinds = dict.fromkeys(slots, VECTOR) | known | (kinds or {})
    return Program(all_kinds, constants or {}, (0,), results, written)


def names(found):
    return [each.op.name for each in found.instructions]


def same(one, other, *values):
    for ours, theirs in zip(
        generate_code(one)(*values), generate_code(other)(*values), strict=True
    ):
        assert ours.tobytes() == theirs.tobytes()
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape


def test_constants_are_worked_out_once():
    two = np.array([2, 2, 2], np.float32)
    given = program([("exp", (1,), {}, 2), ("multiply", (0, 2), {}, 3)], (3,), {1: two})
    found = passes.fold_constants(given)
    assert names(found) == ["multiply"]
    assert np.array_equal(found.constants[2], np.exp(two))
    same(given, found, X)


def test_constants_that_would_grow_large_are_not_kept():
    wide = Kind((100, 100), np.dtype(np.float32))
    one = {1: np.float32(1.0)}
    given = program([("broadcast_to", (1,), {"shape": (100, 100)}, 2)], (2,), one, {2: wide})
    assert names(passes.fold_constants(given)) == ["broadcast_to"]


@pytest.mark.parametrize(("name", "number", "place"), [
    ("multiply", 1.0, 0), ("multiply", 1.0, 1), ("divide", 1.0, 1), ("pow", 1.0, 1),
    ("subtract", 0.0, 1),
])  # fmt: skip
def test_ops_that_change_nothing_are_left_out(name, number, place):
    inputs = (0, 1) if place else (1, 0)
    given = program([(name, inputs, {}, 2), ("exp", (2,), {}, 3)], (2, 3), {1: np.float32(number)})
    found = passes.remove_idle_ops(given)
    assert names(found) == ["exp"]
    assert found.results[0] == 0
    same(given, found, X)


@pytest.mark.parametrize(("name", "number", "place"), [
    ("add", 0.0, 1), ("subtract", -0.0, 1), ("subtract", 0.0, 0), ("divide", 1.0, 0),
    ("multiply", 2.0, 1),
])  # fmt: skip
def test_ops_that_may_change_something_stay(name, number, place):
    inputs = (0, 1) if place else (1, 0)
    given = program([(name, inputs, {}, 2)], (2,), {1: np.float32(number)})
    assert names(passes.remove_idle_ops(given)) == [name]


def test_a_factor_of_one_that_stretches_its_partner_stays():
    ones = np.ones((2, 3), np.float32)
    given = program([("multiply", (0, 1), {}, 2)], (2,), {1: ones}, {2: Kind((2, 3), ones.dtype)})
    assert names(passes.remove_idle_ops(given)) == ["multiply"]


def test_identities_and_reshapes_to_the_same_shape_are_left_out():
    given = program(
        [
            ("identity", (0,), {}, 1),
            ("reshape", (1,), {"shape": (3,)}, 2),
            ("cast", (2,), {"dtype": np.dtype(np.float32)}, 3),
            ("negative", (3,), {}, 4),
        ],
        (4,),
    )
    found = passes.remove_idle_ops(given)
    assert names(found) == ["negative"]
    same(given, found, X)


def test_one_shape_after_another_is_the_last_at_once():
    kinds = {1: Kind((3, 1), VECTOR.dtype), 2: Kind((1, 3), VECTOR.dtype)}
    given = program(
        [
            ("expand_dims", (0,), {"axis": -1}, 1),
            ("reshape", (1,), {"shape": (1, 3)}, 2),
            ("squeeze", (2,), {"axis": (0,)}, 3),
        ],
        (2, 3),
        kinds=kinds,
    )
    found = passes.optimise_program(given)
    assert names(found) == ["reshape"]
    assert found.results == (2, 0)
    same(given, found, X)


def test_what_is_computed_twice_is_computed_once():
    given = program(
        [
            ("exp", (0,), {}, 1), ("exp", (0,), {}, 2), ("add", (1, 2), {}, 3),
            ("add", (2, 1), {}, 4), ("multiply", (3, 4), {}, 5),
        ],
        (5,),
    )  # fmt: skip
    found = passes.merge_repeated_ops(given)
    assert names(found) == ["exp", "add", "multiply"]
    same(given, found, X)


def test_settings_that_only_look_alike_are_different():
    total = Kind((), VECTOR.dtype)
    kept = Kind((1,), VECTOR.dtype)
    given = program(
        [
            ("reduce_sum", (0,), {"axis": (0,), "keepdims": False}, 1),
            ("reduce_sum", (0,), {"axis": (0,), "keepdims": True}, 2),
        ],
        (1, 2),
        kinds={1: total, 2: kept},
    )
    assert len(passes.merge_repeated_ops(given).instructions) == 2


def test_zeros_of_either_sign_are_two_constants():
    signs = {1: np.float32(0.0), 2: np.float32(-0.0)}
    given = program([("divide", (0, 1), {}, 3), ("divide", (0, 2), {}, 4)], (3, 4), signs)
    found = passes.merge_repeated_ops(given)
    assert len(found.instructions) == 2
    same(given, found, np.ones(3, np.float32))


def test_what_leads_to_no_result_is_left_out():
    given = program(
        [("exp", (0,), {}, 2), ("negative", (0,), {}, 3), ("sin", (2,), {}, 4)], (3,),
        {1: np.float32(1.0)},
    )  # fmt: skip
    found = passes.remove_dead_code(given)
    assert names(found) == ["negative"]
    assert found.constants == {}
    assert set(found.kinds) == {0, 3}
    same(given, found, X)


def test_a_program_without_instructions_hands_on_what_it_is_given():
    given = program([], (0, 1, 0), {1: np.float32(2.0)})
    found = passes.optimise_program(given)
    assert [np.asarray(each).tolist() for each in generate_code(found)(X)] == [
        X.tolist(), 2.0, X.tolist(),
    ]  # fmt: skip


def test_a_number_is_not_stretched_to_meet_an_array_of_that_shape():
    number = Kind((), VECTOR.dtype)
    lines = [
        ("reduce_sum", (0,), {"axis": None, "keepdims": False}, 1),
        ("spread", (1,), {"shape": (3,), "axis": None, "keepdims": False}, 2),
        ("multiply", (2, 0), {}, 3),
        ("subtract", (0, 2), {}, 4),
        ("exp", (2,), {}, 5),
    ]
    given = program(lines, (3, 4, 5), kinds={1: number})
    found = passes.keep_scalars(given)
    assert [each.inputs for each in found.instructions] == [(0,), (1,), (1, 0), (0, 1), (2,)]
    same(given, found, np.array([0.5, 1.5, 2.0], np.float32))


def test_a_stretched_number_in_a_product_of_matrices_stays_stretched():
    square, number = Kind((2, 2), VECTOR.dtype), {1: np.float32(2.0)}
    stretch = ("broadcast_to", (1,), {"shape": (2, 2)}, 2)
    given = program(
        [stretch, ("matmul", (2, 0), {}, 3)], (3,), number, dict.fromkeys((0, 2, 3), square)
    )
    found = passes.keep_scalars(given)
    assert found.instructions[1].inputs == (2, 0)
