"""The inputs that a layer accepts, and the error for others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tapelab import nest
from tapelab.keras.keras_tensor import standard_shape


@dataclass(frozen=True)
class InputSpec:
    """The dtype, rank and sizes that an input must have, as far as they are given."""

    dtype: Any = None
    shape: Any = None
    ndim: int | None = None
    max_ndim: int | None = None
    min_ndim: int | None = None
    axes: Mapping[int, int | None] | None = None
    allow_last_axis_squeeze: bool = False
    name: str | None = None
    optional: bool = False

    def __repr__(self) -> str:
        parts = [f"dtype={self.dtype}"] if self.dtype else []
        parts += [f"shape={self.shape}"] if self.shape is not None else []
        for key in ("ndim", "max_ndim", "min_ndim", "axes"):
            value = getattr(self, key)
            parts += [f"{key}={value}"] if value else []
        return f"InputSpec({', '.join(parts)})"

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal specification."""
        names = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        config = {name: getattr(self, name) for name in names}
        if self.optional:
            config["optional"] = True
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputSpec:
        """Construct a specification from its config."""
        return cls(**config)

    def misfit(self, shape: tuple[int | None, ...]) -> str:
        """Return what is wrong with the shape of an input; empty if nothing is."""
        rank = len(shape)
        full = f"Full shape received: {shape}"
        if self.ndim is not None and rank != self.ndim:
            return f"expected ndim={self.ndim}, found ndim={rank}. {full}"
        if self.max_ndim is not None and rank > self.max_ndim:
            return f"expected max_ndim={self.max_ndim}, found ndim={rank}"
        if self.min_ndim is not None and rank < self.min_ndim:
            return f"expected min_ndim={self.min_ndim}, found ndim={rank}. {full}"
        for axis, wanted in (self.axes or {}).items():
            if wanted is not None and shape[axis] not in {wanted, None}:
                return (
                    f"expected axis {axis} of input shape to have value {wanted}, but received "
                    f"input with shape {shape}"
                )
        if self.shape is not None and not _agree(standard_shape(self.shape), shape):
            return f"expected shape={self.shape}, found shape={shape}"
        return ""


def _agree(wanted: tuple[int | None, ...], shape: tuple[int | None, ...]) -> bool:
    return len(wanted) == len(shape) and all(
        a is None or b is None or a == b for a, b in zip(wanted, shape, strict=True)
    )


def check_inputs(spec: Any, inputs: Any, layer: str) -> None:
    """Raise ValueError unless the inputs of a layer match its specification."""
    if spec is None:
        return
    specs = [spec] if isinstance(spec, InputSpec) else nest.flatten(spec)
    given = nest.flatten(inputs) if nest.is_nested(inputs) else [inputs]
    for each in given:
        if not hasattr(each, "shape"):
            raise ValueError(
                f"Inputs to a layer should be tensors. Got '{each}' (of type {type(each)}) as "
                f"input for layer '{layer}'."
            )
    if len(given) != len(specs):
        raise ValueError(
            f"Layer '{layer}' expected {len(specs)} input(s). Received {len(given)} instead."
        )
    for at, (one, each) in enumerate(zip(specs, given, strict=True)):
        problem = one.misfit(tuple(each.shape)) if one is not None else ""
        if problem:
            raise ValueError(
                f"Input {at} with name '{one.name or getattr(each, 'name', None)}' of layer "
                f"'{layer}' is incompatible with the layer: {problem}"
            )
