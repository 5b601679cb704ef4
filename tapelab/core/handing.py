"""Handing raw adjoints back through ordinary ops; the rest is left to `backprop`.

What happens to an op here is what `backprop` does: this file is only about speed. Steps are told
roughly: in place of each large array stands LARGE_ONE, see `flows.in_full`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
from numpy import float32, float64, ndarray

from tapelab.core.flows import LARGE_ONE, Flow, Told, plain
from tapelab.core.indexed_slices import IndexedSlices, accumulated
from tapelab.core.op import REGISTRY, Op
from tapelab.core.records import PAIRED, SINGLE, Dropped, Record
from tapelab.core.tensor import Tensor
from tapelab.kernels.elements import LARGE
from tapelab.recording.facts import KEPT_ELEMENTS

_SCALARS: Final = frozenset({float32, float64})
_add: Final = np.add
_sum_along: Final[Any] = np.add.reduce


def hand_back(
    records: Iterable[Record], adjoints: dict[int, Any], wanted: set[int], tracked: set[int],
    told: Told, otherwise: Callable[[Record], None],
) -> None:  # fmt: skip
    """Hand raw adjoints back through ops, the last first; what is not ordinary goes `otherwise`."""
    for record in records:
        kind = record[0]
        if kind == PAIRED:
            done = _pair_back(record, adjoints, wanted, tracked, told)
        elif kind == SINGLE:
            done = _single_back(record, adjoints, wanted, tracked, told)
        else:
            done = _ran_back(record, adjoints, wanted, tracked, told)
        if not done:
            otherwise(record)


def _pair_back(
    record: Record, adjoints: dict[int, Any], wanted: set[int], tracked: set[int], told: Told
) -> bool:
    """Go back through an op of two inputs that was laid flat; False if it is not ordinary."""
    _, serial, _, origin, one, other, x, y, z, _ = record
    dz = adjoints.pop(serial, None)
    if dz is None:
        return True
    arrays = type(z) is ndarray
    strange = arrays and (type(dz) is not ndarray or dz.size >= LARGE)
    if strange or serial in wanted:
        adjoints[serial] = dz
        if strange:
            return False
    slope_x, slope_y = origin[0].slopes_of_floats
    stretched = arrays and x.shape != y.shape
    if one in tracked:
        more = slope_x(dz, z, x, y)
        if stretched:
            more = undo_broadcast(more, x)
        held = adjoints.get(one)
        if held is None:
            adjoints[one] = more
        else:  # small, or it would have been strange
            adjoints[one] = _add(held, more) if type(held) is ndarray else _sum(held, more)
        if told is not None:
            _tell(told, serial, 0, one, dz, more, adjoints[one])
    if other in tracked:
        more = slope_y(dz, z, x, y)
        if stretched:
            more = undo_broadcast(more, y)
        held = adjoints.get(other)
        if held is None:
            adjoints[other] = more
        else:
            adjoints[other] = _add(held, more) if type(held) is ndarray else _sum(held, more)
        if told is not None:
            _tell(told, serial, 1, other, dz, more, adjoints[other])
    return True


def _single_back(
    record: Record, adjoints: dict[int, Any], wanted: set[int], tracked: set[int], told: Told
) -> bool:
    """Go back through an op of one input that was laid flat; False if it is not ordinary."""
    _, serial, _, origin, one, x, y, _ = record
    dy = adjoints.get(serial)
    if dy is None:
        return True
    if type(y) is ndarray and (type(dy) is not ndarray or dy.size >= LARGE):
        return False
    if serial not in wanted:
        del adjoints[serial]
    (slope,) = origin[0].slopes_of_floats
    if one in tracked:
        more = slope(dy, y, x)
        held = adjoints.get(one)
        adjoints[one] = more if held is None else _sum(held, more)
        if told is not None:
            _tell(told, serial, 0, one, dy, more, adjoints[one])
    return True


def _ran_back(
    record: Record, adjoints: dict[int, Any], wanted: set[int], tracked: set[int], told: Told
) -> bool:
    """Go back through any other op with one result; False if it is not ordinary."""
    _, serial, _, origin, ids, values, number, y, settings, _ = record
    op: Op = origin[0]
    if op.slopes is None or op.multi or op.variadic:
        return False
    dy = adjoints.get(number)
    if dy is None:
        return True
    if type(dy) is not ndarray:
        if type(dy) not in _SCALARS:
            return False
    elif dy.size >= LARGE:
        return False
    if number not in wanted:
        del adjoints[number]
    for position, each in enumerate(ids):
        if each in tracked:
            slope = op.slopes[position]
            more = None if slope is None else slope(dy, y, *values, **settings)
            if more is not None:
                if op.broadcasts:
                    more = undo_broadcast(more, values[position])
                held = adjoints.get(each)
                adjoints[each] = more if held is None else _sum(held, more)
            if told is not None:
                _tell(told, serial, position, each, dy, more, adjoints.get(each))
    return True


def _tell(
    told: list[Flow], serial: int, position: int, number: int, dy: Any, more: Any, total: Any
) -> None:
    """Tell roughly of a step back: an upstream gradient, a contribution, and the sum so far."""
    up = LARGE_ONE if dy.size > KEPT_ELEMENTS else dy
    if type(more) is ndarray and type(total) is ndarray:
        if more.size > KEPT_ELEMENTS:
            more = total = LARGE_ONE
        fields = serial, position, number, up, more, total
    else:
        fields = serial, position, number, up, plain(more), plain(total)
    told.append(tuple.__new__(Flow, fields))


def _sum(held: Any, more: Any) -> Any:
    """What an adjoint is with one more contribution."""
    if type(held) is ndarray and type(more) is ndarray:
        return _add(held, more) if held.size < LARGE else accumulated(held, more)
    return accumulated(held, more) if type(held) is IndexedSlices else held + more


def undo_broadcast(contribution: Any, value: Any) -> Any:
    """The contribution in the shape of the value, summed along the axes it was stretched on."""
    if type(contribution) is ndarray and type(value) is ndarray:
        shape, there = value.shape, contribution.shape
        if there == shape:
            return contribution
        if there[1:] == shape and contribution.size < LARGE:  # at a glance: a bias
            return _sum_along(contribution, 0)
    elif isinstance(contribution, IndexedSlices):
        return contribution
    else:
        shape = np.shape(value) if not isinstance(value, Dropped) else value.shape
        raw = contribution._array if type(contribution) is Tensor else contribution
        there = np.shape(raw)
    return contribution if there == shape else REGISTRY["sum_to"](contribution, shape=shape)
