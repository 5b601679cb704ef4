"""Long runs of ops and of backward steps, encoded as columns and not one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.core.large_values import is_large
from tapelab.core.records import OpRun
from tapelab.recorder.event_encoding import Pauses, cause_of, group_of
from tapelab.recorder.interning import distinct
from tapelab.recording import events as e

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tapelab.core.backward_report import BackwardStep, GradientCall
    from tapelab.core.records import NamedRecord
    from tapelab.recorder.symbol_table import SymbolTable

LONG: Final = 64
"""From so many ops in a row on, columns are worth their trouble."""
Columns = tuple[Any, "NDArray[np.intc]", "NDArray[np.intc]"]
"""Of some events their spans (or the one of all), where the fields of each end, and the fields."""


def split_long_runs(
    happened: Sequence[NamedRecord | GradientCall],
) -> Iterator[tuple[bool, Sequence[Any]]]:
    """What happened, in its order: long runs of ops with one result each, and all else."""
    ops = [type(each) is OpRun and type(each.result_ids) is not tuple for each in happened]
    changes = np.flatnonzero(np.diff(ops)) + 1
    rest = 0
    for start, stop in pairwise([0, *changes.tolist(), len(happened)]):
        if stop - start >= LONG and ops[start]:
            yield False, happened[rest:start]
            yield True, happened[start:stop]
            rest = stop
    yield False, happened[rest:]


def encode_ops(symbols: SymbolTable, runs: Sequence[OpRun], pauses: Pauses) -> Columns:
    """The columns of ops with one result each, their fields in the order of a packed `Ran`."""
    ids, values = [run.input_ids for run in runs], [run.inputs for run in runs]
    origins, result_ids = [run.origin for run in runs], [run.result_ids for run in runs]
    different, at = distinct(origins)
    places = list(map(symbols.place, different))
    spans, ops = np.array([(place.span, place.op) for place in places], np.intc).T
    scoped = np.array([origin.scope is not None for origin in different])[at]
    outputs = symbols.results(result_ids, [run.results for run in runs], places, at)
    plain = ~scoped & _taken_by(symbols, runs)
    taken = np.fromiter(map(len, ids), np.intc, len(ids))
    ends = np.cumsum(taken + 5)
    starts = ends - taken - 5
    fields = np.empty(ends[-1], np.intc)
    fields[starts] = ops[at]
    fields[starts + 1] = -1
    fields[starts + 2] = e.Cause.TAPED
    in_calls = bool(symbols.groups.calls)
    for one in range(len(runs)) if in_calls else np.flatnonzero(~plain).tolist():
        cause = e.Cause.TAPED if plain[one] else cause_of(symbols, runs[one], pauses)
        fields[starts[one] + 1] = group_of(symbols, runs[one], cause, (outputs[one],))
        fields[starts[one] + 2] = cause
    fields[starts + 3] = taken
    fields[_all_within(starts + 4, taken)] = _inputs(symbols, ids, values)
    fields[ends - 1] = outputs
    return spans[at], ends, fields


def _taken_by(symbols: SymbolTable, runs: Sequence[OpRun]) -> NDArray[Any]:
    """Whether the tape took each op."""
    sets, at = distinct([run.tapes for run in runs])
    tape = symbols.tape
    taken: NDArray[Any] = np.array([tape._serial in each for each in sets])[at]
    if runs[0].serial >= tape._opened:  # serials only grow
        return taken
    return taken & (np.array([run.serial for run in runs]) >= tape._opened)


def _inputs(symbols: SymbolTable, ids: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """The indices of all that ops were given, most of which is known already."""
    known = symbols.tensors.by_id
    numbers, flat = list(chain.from_iterable(ids)), list(chain.from_iterable(values))
    indices: list[Any] = list(map(known.get, numbers))
    if None in indices:
        new = [at for at, index in enumerate(indices) if index is None]
        symbols.constants([numbers[at] for at in new], [flat[at] for at in new])
        for at in new:
            indices[at] = known[numbers[at]]
    if np.ndarray in {*map(type, flat)}:
        for index, value in zip(indices, flat, strict=True):
            if is_large(value):
                symbols.tensors.measure(index, value)
    return indices


def _all_within(starts: NDArray[np.intc], lengths: NDArray[np.intc]) -> NDArray[np.intc]:
    """All positions in runs that start somewhere and have some length."""
    before = np.cumsum(lengths) - lengths
    positions: NDArray[np.intc] = np.repeat(starts - before, lengths)
    return positions + np.arange(len(positions))


def encode_steps(
    symbols: SymbolTable, call: int, flows: Sequence[BackwardStep], event_of: dict[int, int]
) -> NDArray[np.intc]:
    """The fields of packed `Flowed` events in rows, without the local derivatives."""
    ops, positions, tensors, *values = zip(*flows, strict=True)
    known = symbols.tensors.by_id
    rows = np.full((len(flows), 8), -1, np.intc)
    rows[:, 0] = call
    rows[:, 1] = [event_of.get(op, -1) for op in ops]
    rows[:, 2] = positions
    rows[:, 3] = [known.get(tensor, -1) for tensor in tensors]
    gradients = symbols.enter_gradients([*chain.from_iterable(values)])
    rows[:, (4, 6, 7)] = gradients.reshape(len(values), -1).T
    known_rows: NDArray[np.intc] = rows[(rows[:, 1] >= 0) | (np.array(ops) == -1)]
    return known_rows
