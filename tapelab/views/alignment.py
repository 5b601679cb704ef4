"""Two recordings brought beside one another: which frame of the one is which frame of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Final

import numpy as np

from tapelab.recording import Recording
from tapelab.recording.schema import TensorFacts
from tapelab.views.timeline import BACKWARD, Model

PATIENCE: Final = 400
"""So many frames in a stretch are matched one with each other; longer ones are matched in order."""
LONG: Final = 4000
"""Of more frames, those that occur often no longer hold a place in the alignment."""
SAME_NAME, SAME_OP, SAME_SIDE = 3.0, 2.0, 0.5
"""What it is worth that two frames have a name, an op, or a side of the tape in common."""
RELATIVE: Final = 1e-6
"""What differs by less is rounding."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A frame of each recording, -1 where there is none, and in what the two differ.

    Changes are `op`, `name`, `taped` and `untaped` (only one is on the tape: now, or before),
    `value` and `gradient`; of a frame without its fellow, `gone` or `new`.
    """

    before: int
    after: int
    changes: frozenset[str] = frozenset()


def aligned(before: Recording, after: Recording) -> tuple[Model, Model, tuple[Pair, ...]]:
    """The models of two recordings, and their frames in pairs, in the order of both tapes."""
    old, new = Model.of(before), Model.of(after)
    pairs = tuple(_judged(old, new, *pair) for pair in _pairs(_keys(old), _keys(new)))
    return old, new, pairs


def counterparts(old: Model, new: Model, pairs: Sequence[Pair]) -> dict[int, int]:
    """For each step of the old recording the step of the new one at which the same happens."""
    frame = {pair.before: pair.after for pair in pairs if min(pair.before, pair.after) >= 0}
    there = {_what(new, number): number for number in range(1, len(new) + 1)}
    steps = {}
    for number in range(1, len(old) + 1):
        way, *frames = _what(old, number)
        there_frames = [frame.get(each, -2) if each >= 0 else each for each in frames]
        step = there.get((way, *there_frames))
        if step is not None:
            steps[number] = step
    return steps


def _what(model: Model, number: int) -> tuple[Any, ...]:
    """What happens at a step: forwards at a frame, or back through one frame to another."""
    step = model.at(number)
    if step.phase != BACKWARD:
        return step.phase, step.frame
    nodes = model.graph.nodes
    return step.phase, *(nodes[at].frame if at >= 0 else -1 for at in (step.through, step.node))


Key = tuple[str, str, bool]


def _keys(model: Model) -> list[Key]:
    """What a frame is known by: its op, its name, and whether it is beside the tape."""
    frames = range(len(model.graph.frames))
    return [(model.tag(at), model.frame_label(at), model.is_off(at)) for at in frames]


def _pairs(before: list[Key], after: list[Key]) -> list[tuple[int, int]]:
    matcher = SequenceMatcher(None, before, after, autojunk=max(len(before), len(after)) > LONG)
    pairs: list[tuple[int, int]] = []
    for kind, start, end, begin, stop in matcher.get_opcodes():
        if kind == "equal":
            pairs += zip(range(start, end), range(begin, stop), strict=True)
        elif kind == "replace":
            ours, theirs = before[start:end], after[begin:stop]
            pairs += [
                (start + a if a >= 0 else -1, begin + b if b >= 0 else -1)
                for a, b in _matched(ours, theirs)
            ]
        else:
            pairs += [(at, -1) for at in range(start, end)]
            pairs += [(-1, at) for at in range(begin, stop)]
    return pairs


def _matched(ours: list[Key], theirs: list[Key]) -> list[tuple[int, int]]:
    """The pairing that keeps both orders and has most in common; what has nothing stays alone."""
    if max(len(ours), len(theirs)) > PATIENCE:
        return list(zip_longest(range(len(ours)), range(len(theirs)), fillvalue=-1))
    worth = np.zeros((len(ours) + 1, len(theirs) + 1))
    for a in range(len(ours) - 1, -1, -1):
        for b in range(len(theirs) - 1, -1, -1):
            together = worth[a + 1, b + 1] + _alike(ours[a], theirs[b])
            worth[a, b] = max(together, worth[a + 1, b], worth[a, b + 1])
    pairs, a, b = [], 0, 0
    while a < len(ours) or b < len(theirs):
        if b == len(theirs) or (a < len(ours) and worth[a, b] == worth[a + 1, b]):
            pairs.append((a, -1))
            a += 1
        elif a == len(ours) or worth[a, b] == worth[a, b + 1]:
            pairs.append((-1, b))
            b += 1
        else:
            pairs.append((a, b))
            a, b = a + 1, b + 1
    return pairs


def _alike(ours: Key, theirs: Key) -> float:
    same_op, same_name = ours[0] == theirs[0], ours[1] == theirs[1]
    if not (same_op or same_name):
        return 0.0
    return SAME_OP * same_op + SAME_NAME * same_name + SAME_SIDE * (ours[2] == theirs[2])


def _judged(old: Model, new: Model, before: int, after: int) -> Pair:
    """A pair with what is different in it."""
    if before < 0 or after < 0:
        return Pair(before, after, frozenset({"new" if before < 0 else "gone"}))
    differs = {
        "op": old.tag(before) != new.tag(after),
        "name": old.frame_label(before) != new.frame_label(after),
        "taped": old.is_off(before) and not new.is_off(after),
        "untaped": new.is_off(after) and not old.is_off(before),
        "value": not _equal(_value(old, before), _value(new, after)),
        "gradient": not _same_gradient(old, before, new, after),
    }
    return Pair(before, after, frozenset(name for name, different in differs.items() if different))


def _value(model: Model, frame: int) -> TensorFacts | None:
    return model.tensor(model.graph.frames[frame].node)


def _same_gradient(old: Model, before: int, new: Model, after: int) -> bool:
    (state, tensor), (other_state, other) = (_gradient(old, before), _gradient(new, after))
    return state == other_state and _equal(tensor, other)


def _gradient(model: Model, frame: int) -> tuple[str, TensorFacts | None]:
    node = model.graph.frames[frame].node
    if node < 0 or model.is_off(frame):
        return "", None
    slot = model.slot(node)
    return slot.state, model.recording.tensor(slot.tensor) if slot.tensor >= 0 else None


def _equal(one: TensorFacts | None, other: TensorFacts | None) -> bool:
    """Whether two tensors hold the same numbers, as far as these were kept."""
    if one is None or other is None:
        return one is other
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.value is None or other.value is None:
        return one.value is other.value
    a, b = np.asarray(one.value), np.asarray(other.value)
    if a.dtype.kind in "fc":
        return bool(np.allclose(a, b, rtol=RELATIVE, atol=0, equal_nan=True))
    return bool(np.array_equal(a, b))
