"""Attention of many heads of queries with few heads of keys and values."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np

from tapelab import linalg, math, nn
from tapelab.array_ops import shape_ops, value_ops
from tapelab.keras import backend
from tapelab.keras.class_settings import SettingGroup, setting
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers.attention import joint_mask
from tapelab.keras.layers.dense import EinsumDense
from tapelab.keras.layers.layer import BuiltInLayer, weights
from tapelab.keras.layers.noise import Dropout


class GroupQueryAttention(BuiltInLayer):
    """Multi-head attention whose heads of queries share heads of keys (Ainslie et al. 2023)."""

    head_dim: int = setting()
    num_query_heads: int = setting()
    num_key_value_heads: int = setting()
    dropout: float = setting(0.0)
    use_bias: bool = setting(True)
    sliding_window: int | None = setting(None)
    flash_attention: bool | None = setting(None)
    of_projections = SettingGroup({
        name: replace(each, convert=None)  # each projection makes initializers of its own
        for name, each in weights(kernel="glorot_uniform", bias="zeros").items()
    })  # fmt: skip
    use_gate: bool = setting(False)
    seed: int | None = setting(None)
    supports_masking = True

    def __post_init__(self) -> None:
        if self.num_query_heads % self.num_key_value_heads:
            raise ValueError("`num_query_heads` must be divisible by `num_key_value_heads`.")
        window = self.sliding_window
        if window is not None and (not isinstance(window, int) or window <= 0):
            raise ValueError(
                "`sliding_window` must be `None` or a positive integer. Received: "
                f"sliding_window={window}"
            )
        self.num_repeats = self.num_query_heads // self.num_key_value_heads
        self._drop = Dropout(self.dropout, seed=self.seed) if self.dropout else None

    def build(  # type: ignore[override]  # several inputs, several shapes
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> None:
        """Create the projections of queries, keys, values, of the gate and of the result."""
        parts = {"query": (query_shape, self.num_query_heads)}
        parts["key"] = (key_shape or value_shape, self.num_key_value_heads)
        if self.use_gate:
            parts["gate"] = parts["query"]
        parts["value"] = (value_shape, self.num_key_value_heads)
        self._parts: dict[str, Any] = {}
        for name, (shape, heads) in parts.items():
            self._parts[name] = self._projection(
                name, "bqm,muh->bquh", (None, heads, self.head_dim), "uh",
                "sigmoid" if name == "gate" else None,
            )  # fmt: skip
            self._parts[name].build(shape)
        sizes = (None, query_shape[-1])
        self._result = self._projection("attention_output", "bquh,uhm->bqm", sizes, "m", None)
        self._result.build((None, None, self.num_query_heads, self.head_dim))

    def _projection(
        self, name: str, equation: str, shape: Any, bias_axes: str, activation: str | None
    ) -> EinsumDense:
        settings = {each: getattr(self, each) for each in type(self).of_projection_names}
        return EinsumDense(
            equation, shape, activation, bias_axes if self.use_bias else None, name=name,
            dtype=self.dtype_policy, **settings,
        )  # fmt: skip

    of_projection_names = (
        "kernel_initializer", "bias_initializer", "kernel_regularizer", "bias_regularizer",
        "kernel_constraint", "bias_constraint",
    )  # fmt: skip

    def call(
        self, query: Any, value: Any, key: Any = None, query_mask: Any = None,
        value_mask: Any = None, key_mask: Any = None, attention_mask: Any = None,
        return_attention_scores: bool = False, training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        """Return the projected values of all heads, and on request the weights."""
        masks = self._masks_of_places(int(query.shape[1]), int(value.shape[1]), use_causal_mask)
        mask = joint_mask(query_mask, value_mask, key_mask, attention_mask, *masks)
        q = self._parts["query"](query)
        k, v = (
            shape_ops.repeat(self._parts[name](each), self.num_repeats, axis=2)
            for name, each in (("key", value if key is None else key), ("value", value))
        )
        scores: Any = linalg.einsum("bquh,bkuh->buqk", q / sqrt(self.head_dim), k)
        if mask is not None:
            allowed = shape_ops.expand_dims(mask, -3) if mask.ndim > 2 else mask
            scores = value_ops.where(allowed, scores, value_ops.cast(-1e9, scores.dtype))
        shares = nn.softmax(scores)
        used = shares if self._drop is None else self._drop(shares, training=training)
        heads: Any = linalg.einsum("buqk,bkuh->bquh", used, v)
        if self.use_gate:
            heads = math.multiply(heads, self._parts["gate"](query))
        result = self._result(heads)
        return (result, shares) if return_attention_scores else result

    def _masks_of_places(self, queries: int, keys: int, use_causal_mask: bool) -> list[Any]:
        """The masks that follow from the places of queries and keys."""
        apart = np.arange(queries)[:, None] - np.arange(keys)
        masks = [apart >= 0] if use_causal_mask else []
        if self.sliding_window is not None:
            masks.append(np.abs(apart) < self.sliding_window)
        return [backend.convert_to_tensor(each[None]) for each in masks]

    def compute_output_shape(  # type: ignore[override]  # several inputs, several shapes
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> Any:
        """Return the shape of the queries; ValueError if the sizes of the inputs do not match."""
        keys = value_shape if key_shape is None else key_shape
        if query_shape[-1] != value_shape[-1]:
            raise ValueError(
                "The last dimension of `query_shape` and `value_shape` must be equal, but are "
                f"{query_shape[-1]}, {value_shape[-1]}. Received: query_shape={query_shape}, "
                f"value_shape={value_shape}"
            )
        if tuple(value_shape[1:-1]) != tuple(keys[1:-1]):
            raise ValueError(
                "All dimensions of `value` and `key`, except the last one, must be equal. "
                f"Received: value_shape={value_shape} and key_shape={keys}"
            )
        return query_shape

    def compute_output_spec(
        self, query: Any, value: Any, key: Any = None, return_attention_scores: bool = False,
        **settings: Any,
    ) -> Any:  # fmt: skip
        """Return a symbolic tensor of the output, and one of the weights if they are asked for."""
        keys = value if key is None else key
        shape = self.compute_output_shape(query.shape, value.shape, keys.shape)
        output = KerasTensor(shape, self.compute_dtype)
        if not return_attention_scores:
            return output
        scores = (query.shape[0], self.num_query_heads, query.shape[1], keys.shape[1])
        return output, KerasTensor(scores, self.compute_dtype)
