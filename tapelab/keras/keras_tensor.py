"""The symbolic tensor of Keras: a shape and a dtype to be filled in when a model is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from tapelab.core.tensor_shape import TensorShape
from tapelab.keras.name_scopes import automatic_name

_IN_TENSORFLOW = (
    "A KerasTensor cannot be used as input to a TensorFlow function. A KerasTensor is a symbolic "
    "placeholder for a shape and dtype, used when constructing Keras Functional models. You can "
    "only use it as input to a Keras layer. Wrap the function in a layer: "
    "tf.keras.layers.Lambda(function)(x), or a class with a call method."
)
_NO_VALUE = "A KerasTensor is symbolic: it's a placeholder for a shape an a dtype. It doesn't have "


class KerasTensor:
    """A place in a functional model: `history` is the node that will fill it, None for an input."""

    __array_priority__ = 100
    carry_out: Callable[..., Any]

    def __init__(self, shape: Any, dtype: str = "float32", name: str | None = None) -> None:
        self.shape = standard_shape(shape)
        self.dtype = dtype
        self.name = name or automatic_name(type(self))
        self.history: Any = None
        self.origin: Any = None

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise ValueError(
            f"{_NO_VALUE}any actual numerical value. You cannot convert it to a NumPy array. "
            f"{_IN_TENSORFLOW}"
        )

    def __float__(self) -> NoReturn:
        raise ValueError(
            f"{_NO_VALUE}any actual numerical value. You cannot convert it to a float."
        )

    def __int__(self) -> NoReturn:
        raise ValueError(f"{_NO_VALUE}any actual numerical value. You cannot convert it to an int.")

    def __bool__(self) -> NoReturn:
        raise TypeError("A symbolic KerasTensor cannot be used as a boolean.")

    def __iter__(self) -> NoReturn:
        raise NotImplementedError("Iterating over a symbolic KerasTensor is not supported.")

    def __repr__(self) -> str:
        return (
            f"<KerasTensor shape={self.shape}, dtype={self.dtype}, sparse=False, ragged=False, "
            f"name={self.name}>"
        )


def standard_shape(shape: Any) -> tuple[int | None, ...]:
    """A shape as a tuple of numbers and None; ValueError for what is no shape."""
    if isinstance(shape, TensorShape):
        return tuple(shape.as_list())
    if not hasattr(shape, "__iter__"):
        raise ValueError(f"Cannot convert '{shape}' to a shape. Try ({shape},).")
    for each in shape:
        if isinstance(each, (list, tuple)):
            raise ValueError(
                f"Cannot convert '{shape}' to a shape. Found invalid dimension '{each}' of type "
                f"'{type(each)}'."
            )
    whole = tuple(None if each is None else int(each) for each in shape)
    if any(each is not None and each < 0 for each in whole):
        raise ValueError(f"Cannot convert '{shape}' to a shape. Negative dimensions are invalid.")
    return whole
