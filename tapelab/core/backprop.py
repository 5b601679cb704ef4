"""The way back: one loop over the log, last op first, no recursion.

On raw arrays it is fast; where another tape listens the same rules run on tensors, so that the
way back is itself recorded and can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from tapelab.core.flows import Flow, Flows, Told, flow_of, in_full, plain
from tapelab.core.handing import hand_back, undo_broadcast
from tapelab.core.indexed_slices import IndexedSlices, accumulated
from tapelab.core.log import next_id, origin_here, thread
from tapelab.core.op import REGISTERED, Op
from tapelab.core.reaching import (
    Seeds,
    closed,
    collected,
    holds_calls,
    holds_much,
    op_by_op,
    steps,
    taped,
    used_up,
    wanted_by,
)
from tapelab.core.records import HEARD, Record, whole
from tapelab.core.retracing import hand_back_on_tensors
from tapelab.core.tensor import Tensor, wrap
from tapelab.core.through_calls import go_back
from tapelab.errors import NoGradientError, Refusal
from tapelab.kernels.elements import LARGE

if TYPE_CHECKING:
    from tapelab.core.tape import GradientTape

Hand = Callable[..., None]
"""How adjoints are handed back: raw, on tensors, or with care."""


def sweep(
    tape: GradientTape, targets: Sequence[Tensor], upstream: Sequence[Any], sources: Sequence[Any],
    flows: Flows, *, once: bool = False, shown: bool = False,
) -> list[Any]:  # fmt: skip
    """The gradients of the sources (raw arrays or tensors, None without a path).

    The steps are told at once where they will be `shown`, and on demand otherwise. Large values
    that are needed only `once` are let go of as soon as the way is past them.
    """
    recorded = bool(thread.__dict__["listening"])
    starts = [(each._id, seed) for each, seed in zip(targets, upstream, strict=True)]
    wanted, tracked, windows = wanted_by(tape, sources), tape._tracked, closed(tape)
    at_once = shown or bool(REGISTERED)
    hand, told = _how(flows, windows, tape._serial, recorded=recorded, at_once=at_once)
    adjoints, begun = _begin(starts, recorded, told)
    with np.errstate(all="ignore"):
        records = (used_up if once else steps)(windows, tape._serial)
        if recorded or at_once:
            records = op_by_op(records, windows, tape._serial)
        _walk(records, adjoints, wanted, tracked, hand, told, flows)
        if told is None:
            ends = {each: plain(adjoints[each]) for each in wanted if each in adjoints}
            walk = partial(_told, starts, windows, tape._serial, wanted, tracked, ends)
            flows.tell_later(walk)
        return collected(tape, sources, begun, adjoints)


def _how(
    flows: Flows, windows: Any, serial: int, *, recorded: bool, at_once: bool
) -> tuple[Hand, Told]:
    """How adjoints are handed back, and where steps are told: None if they can be walked again."""
    much, hand = holds_much(windows), hand_back_on_tensors if recorded else hand_back
    if not (much or at_once):
        return hand, None
    if at_once or recorded or holds_calls(windows):
        return (_one_by_one if much and not recorded else hand), flows.told()
    told: list[Flow] = []
    flows.tell_later(lambda: in_full(told, taped(windows, serial)))
    return hand, told


def _begin(
    starts: Any, recorded: bool, flows: list[Flow] | None
) -> tuple[dict[int, Any], dict[int, Any]]:
    """The adjoints before the first step, twice."""
    adjoints: dict[int, Any] = {}
    for number, seed in starts:
        start = lifted(seed, recorded)
        if number in adjoints:
            start = accumulated(adjoints[number], start)
        adjoints[number] = start
        if flows is not None:
            flows.append(flow_of(-1, 0, number, seed, seed, adjoints))
    return adjoints, dict(adjoints)


def told_again(
    tape: GradientTape, target: Tensor, seeds: Seeds, sources: Sequence[Any]
) -> Callable[[], list[Flow]]:
    """The steps of the ways back from each of several seeds, walked when somebody looks."""
    wanted, tracked, windows = wanted_by(tape, sources), tape._tracked, closed(tape)

    def walk() -> list[Flow]:
        starts = ([(target._id, seeds.rows(at, at + 1)[0])] for at in range(len(seeds)))
        ways = [_told(each, windows, tape._serial, wanted, tracked, {}) for each in starts]
        return [flow for way in ways for flow in way]

    return walk


def _one_by_one(
    records: Iterable[Record], adjoints: dict[int, Any], wanted: set[int], tracked: set[int],
    told: Told, otherwise: Callable[[Record], None],
) -> None:  # fmt: skip
    """Hand adjoints back where a picture is told at once what large values come to."""
    for record in records:
        otherwise(record)


def _told(
    starts: Any, windows: Any, serial: int, wanted: set[int], tracked: set[int],
    ends: dict[int, Any],
) -> list[Flow]:  # fmt: skip
    """The steps of a way back, walked once more; its ends are the very numbers it came to."""
    flows: list[Flow] = []
    adjoints, _ = _begin(starts, False, flows)
    with np.errstate(all="ignore"), suppress(NoGradientError):  # it is told as far as it led
        _walk(taped(windows, serial), adjoints, wanted, tracked, hand_back, flows)
    same = {id(plain(adjoints[each])): end for each, end in ends.items()}
    return [_ending_in(same, each) for each in flows] if same else flows


def _ending_in(same: dict[int, Any], flow: Flow) -> Flow:
    """A step with the very objects that an answer holds in place of equal ones."""
    op, position, tensor, upstream, contribution, total = flow
    if id(total) in same or id(contribution) in same or id(upstream) in same:
        told = (same.get(id(each), each) for each in (upstream, contribution, total))
        return Flow(op, position, tensor, *told)
    return flow


def _walk(
    records: Iterator[Record], adjoints: dict[int, Any], wanted: set[int], tracked: set[int],
    hand: Hand, told: Told, flows: Flows | None = None,
) -> None:  # fmt: skip
    """Hand the adjoints back through all steps, the last first."""
    recorded = hand is hand_back_on_tensors

    def step_back(record: Record) -> None:
        if record[0] == HEARD:
            go_back(record, adjoints, wanted, flows or Flows(), told, through)
        else:
            _step_back(whole(record), adjoints, wanted, tracked, recorded, told)

    def through(records: Any, adjoints: dict[int, Any], told: Told) -> None:
        inside = hand if recorded or told is None else _one_by_one
        _walk((each for each in records if each[-1]), adjoints, wanted, tracked, inside, told)

    hand(records, adjoints, wanted, tracked, told, step_back)


def _step_back(
    record: Record, adjoints: dict[int, Any], wanted: set[int], tracked: set[int], recorded: bool,
    flows: list[Flow] | None,
) -> None:  # fmt: skip
    _, serial, _, origin, ids, values, result_ids, results, settings, _ = record
    op: Op = origin.op
    dy = _upstream(op, result_ids, results, adjoints, recorded)
    if dy is None:
        return
    if isinstance(dy, IndexedSlices) and not _hands_on(op, ids, values, tracked):
        dy = dy.dense()
    if not op.multi and result_ids not in wanted:
        del adjoints[result_ids]
    inputs = lifted_all(values, ids, recorded, origin)
    result = lifted_results(results, result_ids, recorded, origin, op)
    contribution_of = contributions(op, dy, result, inputs, settings)
    for position, each in enumerate(ids):
        if each in tracked:
            contribution = contribution_of(position)
            if contribution is not None:
                if op.broadcasts:
                    contribution = undo_broadcast(contribution, values[position])
                _add(adjoints, each, contribution)
            if flows is not None:
                flows.append(flow_of(serial, position, each, dy, contribution, adjoints))


def contributions(op: Op, dy: Any, y: Any, inputs: Any, settings: Any) -> Callable[[int], Any]:
    """What flows to the input at a position; a joint rule is run once for all inputs."""
    joint = op.together()
    if joint is not None:
        together = joint(dy, y, *inputs, **settings)
        return lambda position: together[position]

    def alone(position: int) -> Any:
        rule = op.rule(position)
        if rule is None:
            raise _undeclared(op)
        if rule.in_bulk is not None and type(dy) is ndarray and dy.size >= LARGE:
            found = rule.in_bulk(dy, y, *inputs, **settings) if dy.shape == y.shape else None
            if found is not None:
                return found
        return None if rule.function is None else rule.function(dy, y, *inputs, **settings)

    return alone


def _undeclared(op: Op) -> NoGradientError:
    """The error for an op of which no gradient is known, on the way back of the last question."""
    tape = thread.asked[-1][0]() if thread.asked else None
    refusal = Refusal("NO_GRADIENT_REGISTERED", origin_here(), tape, details={"op": op.name})
    return NoGradientError(f"gradient registry has no entry for: {op.raw}", refusal)


def _upstream(
    op: Op, result_ids: Any, results: Any, adjoints: dict[int, Any], recorded: bool
) -> Any:
    if not op.multi:
        return adjoints.get(result_ids)
    found = [adjoints.get(each) for each in result_ids]
    if all(each is None for each in found):
        return None
    return tuple(
        lifted(np.zeros(np.shape(value), value.dtype), recorded)
        if dy is None
        else dy.dense()
        if isinstance(dy, IndexedSlices)
        else dy
        for dy, value in zip(found, results, strict=True)
    )


def _hands_on(op: Op, ids: Any, values: Any, tracked: set[int]) -> bool:
    """Whether sparse rows go on through an op as rows."""
    if op.hands_on != "beside a number":
        return bool(op.hands_on)
    return ids[1] not in tracked and not np.shape(values[1])


def _add(adjoints: dict[int, Any], number: int, more: Any) -> None:
    held = adjoints.get(number)
    adjoints[number] = more if held is None else accumulated(held, more)


def lifted(value: Any, recorded: bool) -> Any:
    """A value as a tensor where the way back is recorded, else raw."""
    if not recorded:
        return value._array if type(value) is Tensor else value
    return value if type(value) is Tensor else wrap(value, next_id(), origin_here())


def lifted_all(values: Any, ids: Any, recorded: bool, origin: Any) -> Any:
    """The values of a record, as the tensors that they were or raw."""
    if not recorded:
        return values
    return [wrap(value, each, origin) for value, each in zip(values, ids, strict=True)]


def lifted_results(results: Any, ids: Any, recorded: bool, origin: Any, op: Op) -> Any:
    """The results of a record, as the tensors that they were or raw."""
    if not recorded:
        return results
    if op.multi:
        return tuple(lifted_all(results, ids, recorded, origin))
    return wrap(results, ids, origin)
