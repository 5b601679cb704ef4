"""The memory of a recorded tape, measured on a tape of our own that takes the same steps.

A recording says which tensors share memory, and of what size tensors are whose values it does not
keep. A student may have forged both. So all steps run again on tensors of the same sizes, and the
memory of that tape is what counts. Values hardly matter for it: ones stand for values that were not
kept. A step that cannot be computed again, such as a custom gradient, is taken by a custom gradient
of ours with the same results, as any program may have one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np

from tapelab.array_ops.creation import constant, zeros_like
from tapelab.autodiff.gradient_overrides import custom_gradient
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype
from tapelab.exercises.tape_trial import trial_of
from tapelab.grading.replay_verifier import FREE_PATTERNS, Replay, ReplayMismatch, is_own, our_ops
from tapelab.recording import Recording
from tapelab.recording.events import Asked, Cause, Ran
from tapelab.recording.facts import Method

_METHODS: Final = {Method.GRADIENT, Method.PICTURE}


class MemoryReplay(Replay):
    """Runs the steps of a recording again for the memory that they take."""

    def __init__(self, recording: Recording, settings: Sequence[Mapping[str, Any] | None]) -> None:
        super().__init__(recording, settings)
        self._tape = GradientTape(persistent=recording.tape.persistent)
        self._guessed: set[int] = set()
        """Tensors whose values are unknown."""

    def peak(self, call: int, position: int) -> int:
        """The most bytes that tape and backward pass hold; ReplayMismatch if it is not known."""
        self._run_steps()
        events = [each.event for each in self._recording.placed(Asked)]
        [gradient_call] = [each for each in events if isinstance(each, Asked) and each.call == call]
        if gradient_call.method not in _METHODS or len(gradient_call.targets) != 1:
            raise ReplayMismatch("its gradient call has several targets or rows")
        target, source = gradient_call.targets[0], gradient_call.sources[position]
        return trial_of(self._tape, self._live_tensor(target), self._live_tensor(source)).memory

    def _live_tensor(self, index: int) -> Tensor:
        live = super()._live_tensor(index)
        if live is None:
            facts = self._recording.tensor(index)
            dtype = as_dtype(facts.dtype)
            value = np.ones if dtype.is_floating or dtype.is_complex else np.zeros
            live = self._live[index] = constant(value(facts.shape, dtype.as_numpy_dtype))
            self._guessed.add(index)
        return live

    def _step(self, ran: Ran, settings: Mapping[str, Any] | None) -> None:
        facts = self._recording.ops[ran.op]
        op = None if is_own(facts) else our_ops()[facts.name]
        taped = ran.cause == Cause.TAPED
        inputs = [self._live_tensor(index) if index >= 0 else None for index in ran.inputs]
        guessed = self._guessed & {*ran.inputs}
        if guessed:
            self._guessed.update(ran.outputs)
        results: Sequence[Any] = ()
        if op is None or op.pattern in FREE_PATTERNS:
            results = self._custom_op(ran, inputs) if taped else ()
        elif not taped:
            with suppress(ReplayMismatch):  # of guessed values, or of what never was on the tape
                results = self._run_op(op, inputs, settings, taped=False)
        elif self._decide_on_shapes(guessed) and not self._has_shapes(
            ran, self._run_op(op, inputs, settings, taped=False)
        ):
            results = self._custom_op(ran, inputs)
        else:
            results = self._run_op(op, inputs, settings, taped=True)
        self._live.update(zip(ran.outputs, results, strict=False))

    def _decide_on_shapes(self, guessed: set[int]) -> bool:
        """Whether there are integers or conditions among guessed tensors."""
        dtypes = (as_dtype(self._recording.tensor(index).dtype) for index in guessed)
        return not all(each.is_floating or each.is_complex for each in dtypes)

    def _has_shapes(self, ran: Ran, results: Sequence[Any]) -> bool:
        shapes = [tuple(self._recording.tensor(index).shape) for index in ran.outputs]
        return [tuple(np.shape(each)) for each in results] == shapes

    def _custom_op(self, ran: Ran, inputs: Sequence[Any]) -> list[Any]:
        """The results of a step with a gradient of its own, which is zero here."""
        results = [self._live_tensor(index) for index in ran.outputs]

        @custom_gradient
        def step(*tensors: Tensor) -> Any:
            return results, lambda *_: [zeros_like(each) for each in tensors]

        taped: list[Any] = step(*(each for each in inputs if each is not None))
        return taped
