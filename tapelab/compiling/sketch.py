"""What stands for the numbers of a tensor while its function is traced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Never

if TYPE_CHECKING:
    from tapelab.compiling.symbolic import SymbolicTensor


class Sketch:
    """What library code may ask of the numbers that are not there: their shape and their dtype."""

    __slots__ = ("dtype", "ndim", "shape")

    def __init__(self, tensor: SymbolicTensor) -> None:
        shape = tensor.shape
        self.dtype = tensor._examples[0]._array.dtype
        self.ndim = shape.rank
        self.shape = None if shape.rank is None else tuple(shape)

    def __getattr__(self, name: str) -> Never:
        raise TypeError(
            f"The numbers of a tensor are asked for ({name}) while the function is traced; they "
            "are there only when it runs. Try tf.py_function for code that needs them."
        )
