"""Layers in which each step asks all others, and takes from them what fits its question."""

from __future__ import annotations

from math import sqrt
from typing import Any

from tapelab import linalg, math, nn
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.keras.layers.layer import Layer
from tapelab.keras.layers.noise import Dropout
from tapelab.keras.layers.weighing import Weighted
from tapelab.keras.name_scopes import named_group


class Attention(Weighted):
    """Values weighted by how well their keys fit the queries: `softmax(q kᵀ) v`."""

    def __init__(
        self, use_scale: bool = False, score_mode: str = "dot", dropout: float = 0.0,
        seed: int | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if score_mode not in {"dot", "concat"}:
            raise ValueError(
                "Invalid value for argument score_mode. Expected one of {'dot', 'concat'}. "
                f"Received: score_mode={score_mode}"
            )
        self.use_scale, self.score_mode, self.dropout = use_scale, score_mode, dropout
        self.seed = seed
        self.dropping = Dropout(dropout, seed=seed) if dropout else None

    def build(self, input_shape: Any) -> None:
        """Make the scale of the scores, if they have one."""
        _check_list(type(self).__name__, input_shape)
        self.scale = self.add_weight((), "ones", name="scale") if self.use_scale else None
        concat = self.score_mode == "concat"
        name = "concat_score_weight"
        self.concat_score_weight = self.add_weight((), "ones", name=name) if concat else None

    def call(
        self, inputs: Any, mask: Any = None, training: Any = False,
        return_attention_scores: bool = False, use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        """The weighted values; with `return_attention_scores` the weights, too."""
        query, value = inputs[0], inputs[1]
        key = inputs[2] if len(inputs) > 2 else value
        scores = self._scores(query, key)
        if mask is not None and mask[1] is not None:
            scores = _hidden(scores, shape_ops.expand_dims(mask[1], -2))
        if use_causal_mask:
            scores = _hidden(scores, _past(int(scores.shape[-2]), int(scores.shape[-1])))
        weights = nn.softmax(scores)
        if self.dropping is not None:
            weights = self.dropping(weights, training=training)
        result: Any = linalg.matmul(weights, value)
        if mask is not None and mask[0] is not None:
            result = result * value_ops.cast(shape_ops.expand_dims(mask[0], -1), result.dtype)
        return (result, weights) if return_attention_scores else result

    def _scores(self, query: Any, key: Any) -> Any:
        if self.score_mode == "concat":
            both: Any = math.add(shape_ops.expand_dims(query, -2), shape_ops.expand_dims(key, -3))
            scaled = both if self.scale is None else both * self.scale
            return self.concat_score_weight * math.reduce_sum(math.tanh(scaled), axis=-1)
        scores: Any = linalg.matmul(query, key, transpose_b=True)
        return scores if self.scale is None else scores * self.scale

    def compute_output_shape(self, input_shape: Any) -> Any:
        """A value for each query."""
        return (*input_shape[0][:-1], input_shape[1][-1])


class AdditiveAttention(Attention):
    """Values weighted by the bent sum of query and key: `softmax(Σ scale · tanh(q + k)) v`."""

    def __init__(self, use_scale: bool = True, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(use_scale, dropout=dropout, **kwargs)

    def build(self, input_shape: Any) -> None:
        """Make one scale for each feature, if there is one."""
        _check_list(type(self).__name__, input_shape)
        size = input_shape[0][-1]
        self.scale = (
            self.add_weight((size,), "glorot_uniform", name="scale") if self.use_scale else None
        )

    def _scores(self, query: Any, key: Any) -> Any:
        both: Any = math.tanh(
            math.add(shape_ops.expand_dims(query, -2), shape_ops.expand_dims(key, -3))
        )
        return math.reduce_sum(both if self.scale is None else both * self.scale, axis=-1)


class _Projection(Weighted):
    """Features as features of several heads, or back: one kernel with three axes."""

    def __init__(self, shape: Any, over: int, settings: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.shape, self.over, self.use_bias = shape, over, settings["use_bias"]
        for part in ("kernel", "bias"):
            self.plan(part, *(settings[f"{part}_{what}"] for what in _SETTINGS))

    def build(self, input_shape: Any) -> None:
        """Make the kernel from the last axes of the input to the wanted ones, and the bias."""
        inputs = tuple(input_shape)[-self.over :]
        self.kernel = self.make("kernel", (*inputs, *self.shape))
        self.bias = self.make("bias", self.shape) if self.use_bias else None

    def call(self, inputs: Any) -> Any:
        """The features projected."""
        made: Any = linalg.tensordot(inputs, self.kernel, self.over)
        return made if self.bias is None else made + self.bias


_SETTINGS = ("initializer", "regularizer", "constraint")


class MultiHeadAttention(Layer):
    """Several attentions at once, each on its own projection of the features."""

    def __init__(
        self, num_heads: int, key_dim: int, value_dim: int | None = None, dropout: float = 0.0,
        use_bias: bool = True, output_shape: Any = None, kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        bias_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None,
        seed: int | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.num_heads, self.key_dim, self.dropout = num_heads, key_dim, dropout
        self.value_dim = value_dim or key_dim
        self.use_bias, self.output_size, self.seed = use_bias, output_shape, seed
        self._parts = {
            "use_bias": use_bias, "kernel_initializer": kernel_initializer,
            "kernel_regularizer": kernel_regularizer, "kernel_constraint": kernel_constraint,
            "bias_initializer": bias_initializer, "bias_regularizer": bias_regularizer,
            "bias_constraint": bias_constraint,
        }  # fmt: skip
        self.dropping = Dropout(dropout, seed=seed) if dropout else None

    def build(  # type: ignore[override]  # several inputs, several shapes
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> None:
        """Make the projections of queries, keys, values and of the result."""
        size = self.output_size or query_shape[-1]
        sizes = (size,) if isinstance(size, int) else tuple(size)
        self._heads: dict[str, Any] = {}
        parts = {
            "query": (query_shape, self.key_dim),
            "key": (key_shape or value_shape, self.key_dim),
            "value": (value_shape, self.value_dim),
        }
        for name, (shape, width) in parts.items():
            part = _Projection((self.num_heads, width), 1, self._parts, name=name)
            part.build(shape)
            self._heads[name] = part
        self._output = _Projection(sizes, 2, self._parts, name="attention_output")
        self._output.build((None, None, self.num_heads, self.value_dim))

    def call(
        self, query: Any, value: Any, key: Any = None, query_mask: Any = None,
        value_mask: Any = None, key_mask: Any = None, attention_mask: Any = None,
        return_attention_scores: bool = False, training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        """The weighted values of all heads; with `return_attention_scores` the weights, too."""
        key = value if key is None else key
        given = {"query": query, "key": key, "value": value}
        q, k, v = (self._heads[name](each) for name, each in given.items())
        mask = attention_mask
        if use_causal_mask:
            past = _past(int(q.shape[1]), int(k.shape[1]))
            mask = past if mask is None else math.logical_and(value_ops.cast(mask, "bool"), past)
        weights = _weights(q / sqrt(self.key_dim), k, mask)
        if self.dropping is not None:
            weights = self.dropping(weights, training=training)
        heads = linalg.einsum("bhqk,bkhd->bqhd", weights, v)
        result = self._output(heads)
        return (result, weights) if return_attention_scores else result

    def compute_output_shape(self, query_shape: Any, value_shape: Any = None) -> Any:
        """The shape of the queries, with the size asked for."""
        size = self.output_size or query_shape[-1]
        return (*query_shape[:-1], *((size,) if isinstance(size, int) else size))


@named_group
def _weights(query: Any, key: Any, mask: Any) -> Any:
    scores = linalg.einsum("bqhd,bkhd->bhqk", query, key)
    if mask is not None:
        whole = value_ops.cast(mask, "bool")
        scores = _hidden(scores, shape_ops.expand_dims(whole, -3) if whole.ndim > 2 else whole)
    return nn.softmax(scores)


def _hidden(scores: Any, mask: Any) -> Any:
    """Scores so low where the mask is false that no weight is left."""
    shown: Any = value_ops.cast(mask, scores.dtype)
    return scores - 1e9 * (1.0 - shown)


def _past(queries: int, keys: int) -> Any:
    """True where the key is not after the query."""
    return linalg.band_part(value_ops.cast(creation.ones((queries, keys)), "bool"), -1, 0)


def _check_list(layer: str, shapes: Any) -> None:
    if not isinstance(shapes, list) or not isinstance(shapes[0], (tuple, list)):
        raise ValueError(
            f"{layer} layer must be called on a list of inputs, namely [query, value] or "
            f"[query, value, key]. Received: inputs={shapes}."
        )
