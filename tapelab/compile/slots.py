"""The slots of a program in the making: where each tensor of a captured replay is."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.compile.capture import Capture
from tapelab.compile.lowered import NotLoweredError
from tapelab.compile.program import Instruction, Kind
from tapelab.core.op_declaration import Op
from tapelab.core.origin import next_id
from tapelab.core.records import Dropped
from tapelab.core.tensor import Tensor


class Slots:
    """Slots by the ids of tensors, what is in them, and the instructions that fill them."""

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self.of: dict[int, int] = {}
        self.kinds: dict[int, Kind] = {}
        self.constants: dict[int, Any] = {}
        self.instructions: list[Instruction] = []
        self.moving: set[int] = set()  # what is filled with other numbers at another call
        self.strange = False  # whether there are arrays of which nobody said where they came from
        self._arrays: dict[int, int] = {}

    def parameter(self, number: int, value: Any) -> int:
        """A new slot for what is given at each call."""
        slot = self.new(number, value)
        self.moving.add(slot)
        return slot

    def drawn(self, number: int, value: Any) -> int:
        """A new slot for what is drawn at each call: it is known again where it is a setting."""
        slot = self.parameter(number, value)
        if isinstance(value, np.ndarray) or (isinstance(value, tuple) and value):
            self._arrays[id(value)] = slot  # of numbers and of () there is but one each
        return slot

    def new(self, number: int, value: Any) -> int:
        """A new slot for a tensor."""
        slot = len(self.kinds)
        self.of[number] = slot
        known = hasattr(value, "dtype")
        self.kinds[slot] = Kind(value.shape, value.dtype) if known else Kind((), np.dtype(object))
        return slot

    def made_beside(self, result: Any) -> int:
        """A new slot for an array that is worked out beside the tape."""
        slot = self._arrays[id(result)] = self.new(next_id(), result)
        return slot

    def add(self, instruction: Instruction) -> None:
        """Write down one more instruction."""
        self.instructions.append(instruction)
        if self.moving.intersection(instruction.inputs) and not _goes_by_shapes(instruction):
            self.moving.update(instruction.outputs)

    def source(self, value: Any) -> int | None:
        """The slot of an array that is the very one of a tensor, or was made from those."""
        if not isinstance(value, (np.ndarray, tuple)):
            return None
        known = self._capture.by_value.get(id(value), -1)
        return self._arrays.get(id(value), self.of.get(known))

    def operand(self, value: Any) -> int:
        """The slot of what was given to a raw function: a tensor, or an array."""
        if isinstance(value, Tensor):
            return self.slot(value._id, value._array)
        known = self.source(value)
        if known is None and isinstance(value, tuple):
            raise NotLoweredError("it draws by the numbers of a tensor")
        return self.slot(next_id(), np.asarray(value)) if known is None else known

    def known(self, number: int) -> int:
        """The slot of a tensor of which only the id is known."""
        slot = self.of.get(number)
        return self.slot(number, self._value(number)) if slot is None else slot

    def slot(self, number: int, value: Any) -> int:
        """The slot of a tensor; one that nothing made is a constant."""
        slot = self.of.get(number)
        if slot is None:
            slot = self.source(value)
            if slot is not None:
                self.of[number] = slot
        if slot is None:
            held = self._value(number) if type(value) is Dropped else value
            self.strange |= holds_array(held) and number not in self._capture.tensors
            slot = self.new(number, held)
            self.constants[slot] = held
        return slot

    def _value(self, number: int) -> Any:
        tensor = self._capture.tensors.get(number)
        if tensor is None:
            raise NotLoweredError("the log has not kept a large constant")
        return tensor._array


def holds_array(value: Any) -> bool:
    """Whether there are arrays in a setting or a constant."""
    if isinstance(value, (tuple, list)):
        return any(map(holds_array, value))
    return isinstance(value, np.ndarray) and value.ndim > 0


def _goes_by_shapes(instruction: Instruction) -> bool:
    return isinstance(instruction.op, Op) and instruction.op.pattern == "shape-only"
