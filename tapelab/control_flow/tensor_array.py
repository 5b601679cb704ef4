"""`tf.TensorArray`: a list of tensors that is written and read by position."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.array_ops.shape_ops import concat, split, stack, unstack
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import DispatchedType
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.tensor_shape import TensorShape
from tapelab.dtypes import as_dtype
from tapelab.errors import InvalidArgumentError, OutOfRangeError


class TensorArray(metaclass=DispatchedType):
    """Tensors of one dtype by position, written one by one, read or stacked later.

    What is read or stacked is what was written, so gradients pass through. In eager mode the array
    itself changes; `write` also returns it, as code for graphs expects.
    """

    def __init__(
        self, dtype: Any, size: Any = None, dynamic_size: bool | None = None,
        clear_after_read: bool | None = None, tensor_array_name: str | None = None,
        handle: Any = None, flow: Any = None, infer_shape: bool = True, element_shape: Any = None,
        colocate_with_first_write_call: bool = True, name: str | None = None,
    ) -> None:  # fmt: skip
        del tensor_array_name, colocate_with_first_write_call, name
        if handle is not None:
            raise ValueError(
                "TensorArray handles are not supported when eager execution is enabled."
            )
        if size is None:
            raise ValueError(
                "Size must be declared for TensorArrays when eager execution is enabled."
            )
        self._dtype = as_dtype(dtype)
        self._dynamic = bool(dynamic_size)
        self._clears = clear_after_read is None or bool(clear_after_read)
        self._infers = infer_shape
        self._shape = TensorShape(element_shape)
        self._items: list[Tensor | None] = [None] * max(int(size), 0)
        self._read: set[int] = set()
        self._flow = constant_of(np.int32(0)) if flow is None else flow

    @property
    def dtype(self) -> Any:
        """What kind of number the tensors hold."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether writing behind the end makes the array longer."""
        return self._dynamic

    @property
    def element_shape(self) -> TensorShape:
        """The shape of each tensor, as far as it is known."""
        return self._shape

    @property
    def flow(self) -> Any:
        """What orders reads and writes in a graph; without meaning here."""
        return self._flow

    @property
    def handle(self) -> None:
        """What names the array in a graph; always None here."""

    def identity(self) -> TensorArray:
        """Another handle of the same tensors: what one writes the other reads."""
        copy = TensorArray(
            self._dtype, len(self._items), self._dynamic, self._clears,
            infer_shape=self._infers, element_shape=self._shape,
        )  # fmt: skip
        copy._items, copy._read = self._items, self._read
        return copy

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Put a tensor at a position; what stood there is replaced."""
        at = int(index)
        if at < 0:
            raise OutOfRangeError(
                None, None, f"Writing to negative indices (index {at}) is not allowed."
            )
        if at >= len(self._items):
            if not self._dynamic:
                raise OutOfRangeError(
                    None, None, f"Tried to write to index {at} but array is not resizeable and "
                    f"size is: {len(self._items)}. Try dynamic_size=True.",
                )  # fmt: skip
            self._items.extend([None] * (at + 1 - len(self._items)))
        self._items[at] = self._fitting(value)
        self._read.discard(at)
        return self

    def _fitting(self, value: Any) -> Tensor:
        """The value as a tensor of the array's dtype and shape."""
        converted = to_tensor(value, dtype_hint=self._dtype)
        if converted.dtype is not self._dtype:
            raise InvalidArgumentError(
                None, None, f"TensorArray dtype is {self._dtype.name} but Op is trying to write "
                f"dtype {converted.dtype.name}. Try tf.cast(value, {self._dtype!r}).",
            )  # fmt: skip
        if not self._shape.is_compatible_with(converted.shape):
            raise ValueError(
                f"Incompatible shape for value ({converted.shape}), expected ({self._shape})"
            )
        if self._infers:
            self._shape = self._shape.merge_with(converted.shape)
        return converted

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The tensor at a position; unless `clear_after_read=False` it can be read once."""
        if isinstance(index, float):
            raise TypeError(f"list indices must be integers or slices, not float: {index}")
        at = int(index)
        if at < 0:
            raise OutOfRangeError(
                None, None, f"Reading from negative indices (index {at}) is not allowed."
            )
        if at >= len(self._items):
            raise OutOfRangeError(
                None, None, f"Tried to read from index {at} but array size is: {len(self._items)}"
            )
        if at in self._read:
            raise InvalidArgumentError(
                None, None, f"Could not read index {at} twice because it was cleared after a "
                "previous read (perhaps try setting clear_after_read = false?)",
            )  # fmt: skip
        item = self._at(at)
        if self._clears:
            self._items[at] = None
            self._read.add(at)
        return item

    def _at(self, index: int) -> Tensor:
        """The tensor at a position, zeros where none was written."""
        item = self._items[index]
        return item if item is not None else self._zeros()

    def _zeros(self, *before: int) -> Tensor:
        if not self._shape.is_fully_defined():
            raise ValueError(
                f"Cannot convert a partially known TensorShape {self._shape} to a Tensor: nothing "
                "was written at this position, and the shape of the zeros is not known. Write it, "
                "or give element_shape."
            )
        shape = (*before, *(int(n or 0) for n in self._shape))
        return constant_of(np.zeros(shape, self._dtype.as_numpy_dtype)[()])

    def stack(self, name: str | None = None) -> Tensor:
        """All tensors as one, along a new first axis."""
        if not self._items:
            known = self._shape.is_fully_defined()
            empty: Any = np.zeros((0,), self._dtype.as_numpy_dtype)
            return self._zeros(0) if known else constant_of(empty)
        return stack([self._at(at) for at in range(len(self._items))])

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Some of the tensors as one, along a new first axis."""
        places = to_tensor(indices)._value
        for each in places:
            if not -len(self._items) <= each < len(self._items):
                raise IndexError(
                    f"list index out of range: {each} in an array of size {len(self._items)}"
                )
        return stack([self._at(int(each)) for each in places])

    def concat(self, name: str | None = None) -> Tensor:
        """All tensors one after the other along their first axis."""
        parts = [self._at(at) for at in range(len(self._items))]
        for at, part in enumerate(parts):
            if part._array.ndim == 0 and len(parts) > 1:
                raise InvalidArgumentError(
                    None, None, f"Concat saw a scalar shape at index {at} but requires at least "
                    "vectors. Try stack().",
                )  # fmt: skip
        return concat(parts, axis=0)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Write the slices of a tensor along its first axis, one to each position."""
        parts = unstack(to_tensor(value, dtype_hint=self._dtype))
        if len(parts) > len(self._items) and not self._dynamic:
            raise ValueError(
                f"Cannot unstack {len(parts)} tensors into a TensorArray of static size "
                f"{len(self._items)} "
            )
        self._items, self._read = [self._fitting(part) for part in parts], set()
        return self

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Write the slices of a tensor along its first axis to the given positions."""
        parts = unstack(to_tensor(value, dtype_hint=self._dtype))
        for index, part in zip(to_tensor(indices)._value, parts, strict=False):
            self.write(index, part)
        return self

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Write pieces of a tensor, of the given lengths along its first axis, to the positions."""
        whole, counts = to_tensor(value, dtype_hint=self._dtype), to_tensor(lengths)._value
        if counts.sum() != whole._array.shape[0]:
            raise InvalidArgumentError(
                None, None, "Expected sum of lengths to be equal to values.shape[0], but sum of "
                f"lengths is {counts.sum()} and value's shape is: {list(whole._array.shape)} ",
            )  # fmt: skip
        if len(counts) != len(self._items) and not self._dynamic:
            raise InvalidArgumentError(
                None, None, "TensorArray's size is not equal to the size of lengths "
                f"({len(self._items)} vs. {len(counts)}), and the TensorArray is not marked as "
                "dynamically resizeable.",
            )  # fmt: skip
        self._infers = False
        self._items = [self._fitting(part) for part in split(whole, counts.tolist())]
        self._read = set()
        return self

    def size(self, name: str | None = None) -> Tensor:
        """The number of positions."""
        return constant_of(np.int32(len(self._items)))

    def close(self, name: str | None = None) -> None:
        """Release all tensors."""
        self._items = [None] * len(self._items)

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> Any:
        """NotImplementedError: gradients pass through the tensors themselves."""
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; eager's gradient "
            "implementation does not use/need this function to compute gradients of operations "
            "that use TensorArrays."
        )
