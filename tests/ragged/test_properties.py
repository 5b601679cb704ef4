"""Ragged tensors do to all rows at once what Python does to one list after the other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapelab as tl

NUMBERS = st.integers(-9, 9)
ROWS = st.lists(st.lists(NUMBERS, max_size=4), min_size=1, max_size=5)
DEEP = st.lists(st.lists(st.lists(NUMBERS, max_size=3), max_size=3), min_size=1, max_size=4)
ENDS = st.one_of(st.none(), st.integers(-5, 5))
STEPS = st.sampled_from([None, 1, 2, -1, -2])
QUICK = settings(max_examples=40, deadline=None)


def ragged(rows, depth=1):
    return tl.ragged.constant(rows, dtype=tl.int32, ragged_rank=depth)


@QUICK
@given(ROWS)
def test_lists_survive_a_round_trip(rows):
    assert ragged(rows).to_list() == rows


@QUICK
@given(DEEP)
def test_lists_of_lists_survive_a_round_trip(rows):
    tensor = ragged(rows, 2)
    assert tensor.to_list() == rows
    again = tl.RaggedTensor.from_nested_row_splits(tensor.flat_values, tensor.nested_row_splits)
    assert again.to_list() == rows


@QUICK
@given(ROWS, ENDS, ENDS, STEPS)
def test_a_slice_of_rows_is_that_of_the_list(rows, start, stop, step):
    assert ragged(rows)[start:stop:step].to_list() == rows[start:stop:step]


@QUICK
@given(ROWS, ENDS, ENDS, STEPS)
def test_a_slice_of_each_row_is_that_of_each_list(rows, start, stop, step):
    got = ragged(rows)[:, start:stop:step].to_list()
    assert got == [row[start:stop:step] for row in rows]


@QUICK
@given(DEEP, ENDS, ENDS, STEPS)
def test_a_slice_of_inner_rows_is_that_of_each_inner_list(rows, start, stop, step):
    got = ragged(rows, 2)[:, :, start:stop:step].to_list()
    assert got == [[inner[start:stop:step] for inner in row] for row in rows]


@QUICK
@given(ROWS)
def test_rows_are_summed_and_multiplied_as_lists_are(rows):
    tensor = ragged(rows)
    assert tl.reduce_sum(tensor, 1).numpy().tolist() == [sum(row) for row in rows]
    assert tl.reduce_prod(tensor, 1).numpy().tolist() == [math.prod(row) for row in rows]


@QUICK
@given(ROWS)
def test_columns_are_summed_over_the_rows_that_reach_them(rows):
    longest = max(map(len, rows))
    sums = [sum(row[at] for row in rows if len(row) > at) for at in range(longest)]
    assert tl.reduce_sum(ragged(rows), 0).numpy().tolist() == sums


@QUICK
@given(DEEP)
def test_rows_of_rows_are_summed_inside(rows):
    got = tl.reduce_sum(ragged(rows, 2), 2).to_list()
    assert got == [[sum(inner) for inner in row] for row in rows]


@QUICK
@given(ROWS, ROWS)
def test_rows_are_joined_as_lists_are(one, other):
    assert tl.concat([ragged(one), ragged(other)], 0).to_list() == one + other
    count = min(len(one), len(other))
    joined = tl.concat([ragged(one[:count]), ragged(other[:count])], 1).to_list()
    assert joined == [a + b for a, b in zip(one[:count], other[:count], strict=True)]


@QUICK
@given(ROWS, st.data())
def test_rows_are_gathered_by_number(rows, data):
    places = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=6))
    assert tl.gather(ragged(rows), places).to_list() == [rows[at] for at in places]


@QUICK
@given(ROWS)
def test_a_mask_keeps_what_a_comprehension_keeps(rows):
    tensor = ragged(rows)
    kept = tl.ragged.boolean_mask(tensor, tensor > 0).to_list()
    assert kept == [[each for each in row if each > 0] for row in rows]


@QUICK
@given(ROWS, st.integers(1, 3), st.integers(1, 3))
def test_rows_are_tiled_as_lists_are_multiplied(rows, down, sideways):
    got = tl.tile(ragged(rows), [down, sideways]).to_list()
    assert got == [row * sideways for row in rows] * down


@QUICK
@given(DEEP)
def test_padding_and_cutting_again_gives_the_same_rows(rows):
    tensor = ragged(rows, 2)
    lengths = [each.numpy() for each in tensor.nested_row_lengths()]
    again = tl.RaggedTensor.from_tensor(tensor.to_tensor(), lengths=lengths)
    assert again.to_list() == rows


@QUICK
@given(ROWS)
def test_a_column_meets_every_row(rows):
    column = np.arange(len(rows))[:, None]
    got = (ragged(rows) + column).to_list()
    assert got == [[each + at for each in row] for at, row in enumerate(rows)]


@QUICK
@given(ROWS)
def test_merged_axes_hold_the_same_values(rows):
    tensor = ragged(rows)
    assert tensor.merge_dims(0, 1).numpy().tolist() == [each for row in rows for each in row]


@QUICK
@given(ROWS)
def test_the_gradient_of_a_sum_of_squares_is_twice_each_entry(rows):
    x = tl.cast(ragged(rows), tl.float32)
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = tl.reduce_sum(x * x)
    assert tape.gradient(y, x).to_list() == [[2.0 * each for each in row] for row in rows]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min"])
def test_a_reduction_of_full_rows_is_that_of_the_dense_tensor(name, axis):
    dense = tl.constant([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]])
    full = tl.RaggedTensor.from_tensor(dense)
    reduce = getattr(tl, name)
    np.testing.assert_allclose(reduce(full, axis), reduce(dense, axis))
