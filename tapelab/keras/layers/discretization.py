"""Numbers as the bins that they fall into, with boundaries that are given or learned from data."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.array_ops import shape_ops, sort_ops, value_ops
from tapelab.core.convert import to_tensor
from tapelab.dtypes import int32
from tapelab.keras.class_settings import setting
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers.categories import (
    ENCODINGS,
    EncodingLayer,
    as_data,
    batches_of,
    check_choice,
    encode_categories,
)

Summary = np.ndarray[Any, Any]
"""Sorted values and how many numbers each stands for, two rows."""


class Discretization(EncodingLayer):
    """Returns the number of the bin of each value; `adapt` finds bins of equal size."""

    bin_boundaries: Any = setting(None)
    num_bins: int | None = setting(None)
    epsilon: float = setting(0.01)
    output_mode: str = setting("int")
    sparse: bool = setting(False)
    summary: Summary

    def __post_init__(self) -> None:
        if self.sparse and self.output_mode == "int":
            raise ValueError(
                "`sparse=True` may only be used if `output_mode` is `'one_hot'`, `'multi_hot'`, or "
                f"`'count'`. Received: sparse={self.sparse} and output_mode={self.output_mode}"
            )
        check_choice(self, "output_mode", self.output_mode, ENCODINGS)
        if self.num_bins is not None and self.num_bins < 0:
            raise ValueError(
                "`num_bins` must be greater than or equal to 0. "
                f"Received: `num_bins={self.num_bins}`"
            )
        if self.num_bins is not None and self.bin_boundaries is not None:
            raise ValueError(
                "Both `num_bins` and `bin_boundaries` should not be set. Received: "
                f"`num_bins={self.num_bins}` and `bin_boundaries={self.bin_boundaries}`"
            )
        if self.num_bins is None and self.bin_boundaries is None:
            raise ValueError("You need to set either `num_bins` or `bin_boundaries`.")
        self.reset_state()

    @property
    def _output_dtype(self) -> str:
        return "int32" if self.output_mode == "int" else self.compute_dtype

    def adapt(self, data: Any, steps: int | None = None) -> None:
        """Find boundaries between bins of equal size, from an array or batches of a dataset."""
        if self.num_bins is None:
            raise ValueError(
                "Cannot adapt a Discretization layer that has been initialized with "
                "`bin_boundaries`, use `num_bins` instead."
            )
        self.reset_state()
        for batch in batches_of(data, steps):
            self.update_state(batch)
        self.finalize_state()

    def update_state(self, data: Any) -> None:
        """Add the values of a batch to the summary."""
        values = np.sort(np.array(data).astype("float32"), axis=None)
        step = max(values.size * self.epsilon, 1)
        boundaries = values[int(step - 1) :: int(step)]
        batch = np.stack([boundaries, np.ones_like(boundaries) * step])
        merged = np.concatenate([batch, self.summary], axis=1)
        self.summary = _compressed(merged[:, np.argsort(merged[0])], self.epsilon)

    def finalize_state(self) -> None:
        """Set the boundaries to the quantiles of the summary."""
        if self.num_bins is not None:
            quantiles = _compressed(self.summary, 1 / self.num_bins)
            self.bin_boundaries = quantiles[0, :-1].tolist()

    def reset_state(self) -> None:
        """Forget the values that were added."""
        if self.num_bins is not None:
            self.summary = np.zeros((2, 0), "float32")

    def call(self, inputs: Any) -> Any:
        """Return the number of the bin of each value, encoded."""
        if self.bin_boundaries is None:
            raise ValueError(
                "You need to either pass the `bin_boundaries` argument at construction time or "
                "call `adapt(dataset)` before you can start using the `Discretization` layer."
            )
        x: Any = as_data(inputs)
        boundaries = to_tensor(np.asarray(self.bin_boundaries, "float32"))
        values = shape_ops.reshape(value_ops.cast(x, "float32"), (-1,))
        bins: Any = sort_ops.searchsorted(boundaries, values, "right", int32)
        bins = shape_ops.reshape(bins, shape_ops.shape(x))
        depth = len(self.bin_boundaries) + 1
        return encode_categories(
            bins, self.output_mode, depth, self._output_dtype, sparse=self.sparse
        )

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Return the shape of the bins, or of their encoding."""
        if self.output_mode == "int":
            return tuple(input_shape)
        known = self.bin_boundaries is not None
        depth = len(self.bin_boundaries) + 1 if known else self.num_bins
        if self.output_mode == "one_hot":
            single = len(input_shape) > 1 and input_shape[-1] == 1
            return (*(input_shape[:-1] if single else input_shape), depth)
        return (input_shape[0], *input_shape[2:], depth) if len(input_shape) > 1 else (depth,)

    def compute_output_spec(self, inputs: Any) -> Any:
        """Return the symbolic bins."""
        return KerasTensor(self.compute_output_shape(inputs.shape), self._output_dtype)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal layer, with the boundaries that were found."""
        names = ("bin_boundaries", "num_bins", "epsilon", "output_mode", "sparse", "name", "dtype")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Construct a layer from its config, with the boundaries that were found."""
        if None in (config.get("bin_boundaries"), config.get("num_bins")):
            return cls(**config)
        boundaries = config["bin_boundaries"]
        layer = cls(**{name: value for name, value in config.items() if name != "bin_boundaries"})
        layer.bin_boundaries = boundaries
        return layer


def _compressed(summary: Summary, epsilon: float) -> Summary:
    """A summary of about 1 / epsilon values, interpolated between those there are."""
    if summary.shape[1] * epsilon < 1:
        return summary
    shares = epsilon + np.arange(0.0, 1.0, epsilon)
    totals = summary[1].cumsum()
    share_of_each = totals / totals[-1]
    values = np.interp(shares, share_of_each, summary[0])
    sums = np.interp(shares, share_of_each, totals)
    return np.stack([values, np.diff(sums, prepend=0)]).astype("float32")
