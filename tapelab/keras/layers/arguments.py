"""The arguments of layers: those they were made with, and those a call failed with."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

from tapelab.keras.layers.layer_call import parameters_of


def bound(cls: type, args: Any, kwargs: Any) -> dict[str, Any]:
    """The named arguments of a constructor, those with a default value included."""
    try:
        bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs)  # type: ignore[misc]  # of any class
    except TypeError:
        return {}
    bound.apply_defaults()
    kinds = {name: p.kind for name, p in bound.signature.parameters.items()}
    told: dict[str, Any] = {}
    for name, value in list(bound.arguments.items())[1:]:
        if kinds[name] is inspect.Parameter.VAR_KEYWORD:
            told.update(value)
        elif kinds[name] is not inspect.Parameter.VAR_POSITIONAL:
            told[name] = value
    return told


def taken_shape(kind: type, kwargs: dict[str, Any]) -> Any:
    """The shape that an old way of writing gives a first layer; ValueError for unknown words."""
    shape = kwargs.pop("input_shape", None)
    size = kwargs.pop("input_dim", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments passed to {kind.__name__}: {kwargs}")
    if shape is None and size is None:
        return None
    warnings.warn(
        "Do not pass an `input_shape`/`input_dim` argument to a layer. When using Sequential "
        "models, prefer using an `Input(shape)` object as the first layer in the model instead.",
        stacklevel=4,
    )
    return (size,) if shape is None else tuple(shape)


def circumstances(layer: Any, args: Any, kwargs: Any) -> str:
    """Which layer failed, and what it was given."""
    what = f"{type(layer).__name__}.call()"
    names = list(parameters_of(type(layer).call))
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    lines = [f"  • {name}={_told(value)}" for name, value in given.items()]
    heads = f"Exception encountered when calling {what}.", f"Arguments received by {what}:"
    return "\n".join([*heads, *lines])


def _told(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is None:
        return repr(value)
    return f"tf.Tensor(shape={shape}, dtype={getattr(value.dtype, 'name', value.dtype)})"
