"""Attention of many heads of queries with few heads of keys and values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tapelab import linalg, math
from tapelab.array_ops import shape_ops
from tapelab.keras.class_settings import SettingGroup, setting
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers.activation import Softmax
from tapelab.keras.layers.attention import (
    attention_weights,
    check_window,
    joint_mask,
    masks_of_places,
)
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
        check_window(self.sliding_window)
        self.num_repeats = self.num_query_heads // self.num_key_value_heads

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
        self._softmax = Softmax(dtype=self.dtype_policy)
        self._drop = Dropout(self.dropout, seed=self.seed, dtype=self.dtype_policy)
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
        window = self.sliding_window
        of_places = masks_of_places(query, value, causal=use_causal_mask, window=window)
        mask = joint_mask(query_mask, value_mask, key_mask, attention_mask, *of_places)
        q = self._parts["query"](query)
        k, v = (
            shape_ops.repeat(self._parts[name](each), self.num_repeats, axis=2)
            for name, each in (("key", value if key is None else key), ("value", value))
        )
        softmax = self._softmax if self.dropout or return_attention_scores else None
        shares = attention_weights(q, k, "bquh,bkuh->buqk", mask, softmax)
        used = self._drop(shares, training=training) if self.dropout else shares
        heads: Any = linalg.einsum("buqk,bkuh->bquh", used, v)
        if self.use_gate:
            heads = math.multiply(heads, self._parts["gate"](query))
        result = self._result(heads)
        return (result, shares) if return_attention_scores else result

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
