"""Attention layers: averages of values, weighted by how well keys fit queries."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from math import prod, sqrt
from typing import Any

from tapelab import linalg, math, nn
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.keras import initializers
from tapelab.keras.class_settings import SettingGroup, setting
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers import layer_call
from tapelab.keras.layers.layer import BuiltInLayer, WeightedLayer, weights
from tapelab.keras.layers.noise import Dropout
from tapelab.keras.name_scopes import named_group


class _DotAttention(WeightedLayer):
    """The values of an attention layer: softmax of the scores, dropout, weighted sum."""

    use_scale: bool = setting(False)
    dropout: float = setting(0.0)
    seed: int | None = setting(None)
    scale: Any
    supports_masking = True

    def __post_init__(self) -> None:
        self.dropout_layer = Dropout(self.dropout, seed=self.seed) if self.dropout else None

    def call(
        self, inputs: Any, mask: Any = None, training: Any = False,
        return_attention_scores: bool = False, use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        """Return the weighted values, and with `return_attention_scores` also the weights."""
        self._check(inputs, mask)
        query, value = inputs[0], inputs[1]
        key = inputs[2] if len(inputs) > 2 else value
        scores = self._scores(query, key)
        if mask is not None and mask[1] is not None:
            scores = _masked(scores, shape_ops.expand_dims(mask[1], -2))
        if use_causal_mask:
            scores = _masked(scores, _causal_mask(int(scores.shape[-2]), int(scores.shape[-1])))
        weights = nn.softmax(scores)
        if self.dropout_layer is not None:
            weights = self.dropout_layer(weights, training=training)
        result: Any = linalg.matmul(weights, value)
        if mask is not None and mask[0] is not None:
            result = result * value_ops.cast(shape_ops.expand_dims(mask[0], -1), result.dtype)
        return (result, weights) if return_attention_scores else result

    def _scores(self, query: Any, key: Any) -> Any:
        """How well each key fits each query, shape (..., queries, keys)."""
        raise NotImplementedError

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return the mask of the queries."""
        self._check(inputs, mask)
        return None if mask is None else mask[0]

    def _check(self, inputs: Any, mask: Any) -> None:
        """Raise ValueError unless there are 2 or 3 inputs, and as many masks."""
        name = type(self).__name__
        parts = "namely [query, value] or [query, value, key]"
        if not isinstance(inputs, list):
            raise ValueError(
                f"{name} layer must be called on a list of inputs, {parts}. "
                f"Received: inputs={inputs}."
            )
        if len(inputs) not in {2, 3}:
            raise ValueError(
                f"{name} layer accepts inputs list of length 2 or 3, {parts}. "
                f"Received length: {len(inputs)}."
            )
        if mask is not None and not isinstance(mask, list):
            raise ValueError(
                f"{name} layer mask must be a list, namely [query_mask, value_mask]. "
                f"Received: mask={mask}."
            )
        if mask is not None and len(mask) not in {2, 3}:
            raise ValueError(
                f"{name} layer accepts mask list of length 2 or 3. "
                f"Received: inputs={inputs}, mask={mask}."
            )

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with a value per query."""
        return (*input_shape[0][:-1], input_shape[1][-1])

    def compute_output_spec(
        self, inputs: Any, mask: Any = None, training: Any = False,
        return_attention_scores: bool = False, use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        """Return a symbolic tensor of the output, and one of the weights if they are asked for."""
        shapes = layer_call.shapes_of(inputs)
        output = KerasTensor(self.compute_output_shape(shapes), self.compute_dtype)
        if not return_attention_scores:
            return output
        scores = (*shapes[0][:-1], shapes[-1 if len(shapes) > 2 else 1][-2])
        return output, KerasTensor(scores, self.compute_dtype)


class Attention(_DotAttention):
    """Averages values with weights `softmax(q kᵀ)` of queries and keys."""

    score_mode: str = setting("dot", before="dropout")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.score_mode not in {"dot", "concat"}:
            raise ValueError(
                "Invalid value for argument score_mode. Expected one of {'dot', 'concat'}. "
                f"Received: score_mode={self.score_mode}"
            )

    def build(self, input_shape: Any) -> None:
        """Create the scale of the scores, if they have one."""
        _check_list(type(self).__name__, input_shape)
        self.scale = self.add_weight((), "ones", name="scale") if self.use_scale else None
        concat = self.score_mode == "concat"
        name = "concat_score_weight"
        self.concat_score_weight = self.add_weight((), "ones", name=name) if concat else None

    def _scores(self, query: Any, key: Any) -> Any:
        if self.score_mode == "concat":
            sums = _pairwise_sums(query, key)
            scaled = sums if self.scale is None else sums * self.scale
            return self.concat_score_weight * math.reduce_sum(math.tanh(scaled), axis=-1)
        scores: Any = linalg.matmul(query, key, transpose_b=True)
        return scores if self.scale is None else scores * self.scale


class AdditiveAttention(_DotAttention):
    """Averages values with weights `softmax(Σ scale · tanh(q + k))` (Bahdanau et al. 2015)."""

    use_scale: bool = setting(True)

    def build(self, input_shape: Any) -> None:
        """Create a scale per feature, if there is one."""
        _check_list(type(self).__name__, input_shape)
        size = input_shape[0][-1]
        self.scale = (
            self.add_weight((size,), "glorot_uniform", name="scale") if self.use_scale else None
        )

    def _scores(self, query: Any, key: Any) -> Any:
        fits: Any = math.tanh(_pairwise_sums(query, key))
        return math.reduce_sum(fits if self.scale is None else fits * self.scale, axis=-1)


def _pairwise_sums(query: Any, key: Any) -> Any:
    return math.add(shape_ops.expand_dims(query, -2), shape_ops.expand_dims(key, -3))


class _Projection(WeightedLayer):
    """Projects features to those of several heads, or back, with a kernel of three axes."""

    shape: tuple[int, ...] = setting()
    contracted_axes: int = setting()
    use_bias: bool = setting(True)
    kernel_and_bias = weights(kernel="glorot_uniform", bias="zeros")

    def build(self, input_shape: Any) -> None:
        """Create the kernel from the last axes of the input to the new ones, and the bias."""
        inputs = tuple(input_shape)[-self.contracted_axes :]
        fans = prod(inputs), prod(self.shape)
        self.kernel = self.make("kernel", (*inputs, *self.shape), fans=fans)
        self.bias = self.make("bias", self.shape) if self.use_bias else None

    def call(self, inputs: Any) -> Any:
        """Return the projected features."""
        projected: Any = linalg.tensordot(inputs, self.kernel, self.contracted_axes)
        return projected if self.bias is None else projected + self.bias


class MultiHeadAttention(BuiltInLayer):
    """Several attentions, each on its own projection of the features (Vaswani et al. 2017)."""

    num_heads: int = setting()
    key_dim: int = setting()
    value_dim: int = setting(None)
    dropout: float = setting(0.0)
    use_bias: bool = setting(True)
    output_shape: Any = setting(None)
    of_projections = SettingGroup({
        name: replace(each, convert=None)  # each projection makes initializers of its own
        for name, each in weights(kernel="glorot_uniform", bias="zeros").items()
    })  # fmt: skip
    seed: int | None = setting(None)
    supports_masking = True

    def __post_init__(self) -> None:
        self.value_dim = self.value_dim or self.key_dim
        initializers.get(vars(self)["kernel_initializer"])  # Keras copies it, and draws its seed

    def build(  # type: ignore[override]  # several inputs, several shapes
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> None:
        """Create the projections of queries, keys, values and of the result."""
        shared = _Projection._settings.keys() - {"shape", "contracted_axes"}
        settings = {name: getattr(self, name) for name in shared}
        settings["dtype"] = self.dtype_policy
        parts = {
            "query": (query_shape, self.key_dim),
            "key": (key_shape or value_shape, self.key_dim),
            "value": (value_shape, self.value_dim),
        }
        for name, (shape, width) in parts.items():
            part = _Projection((self.num_heads, width), 1, name=name, **settings)
            part.build(shape)
            setattr(self, f"{name}_dense", part)
        dropout = Dropout(self.dropout, seed=self.seed, dtype=self.dtype_policy)
        self.dropout_layer = dropout if self.dropout else None
        sizes = self._output_sizes(query_shape)
        self.output_dense = _Projection(sizes, 2, name="attention_output", **settings)
        self.output_dense.build((None, None, self.num_heads, self.value_dim))

    def _output_sizes(self, query_shape: Any) -> tuple[int, ...]:
        size = self.output_shape or query_shape[-1]
        return (size,) if isinstance(size, int) else tuple(size)

    def call(
        self, query: Any, value: Any, key: Any = None, query_mask: Any = None,
        value_mask: Any = None, key_mask: Any = None, attention_mask: Any = None,
        return_attention_scores: bool = False, training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        """Return the projected values of all heads, and on request the weights."""
        key = value if key is None else key
        inputs = {"query": query, "key": key, "value": value}
        q, k, v = (getattr(self, f"{name}_dense")(each) for name, each in inputs.items())
        causal = _causal_mask(int(q.shape[1]), int(k.shape[1])) if use_causal_mask else None
        mask = joint_mask(query_mask, value_mask, key_mask, attention_mask, causal)
        weights = _weights(q / sqrt(self.key_dim), k, mask)
        if self.dropout_layer is not None:
            weights = self.dropout_layer(weights, training=training)
        heads = linalg.einsum("bhqk,bkhd->bqhd", weights, v)
        result = self.output_dense(heads)
        return (result, weights) if return_attention_scores else result

    def compute_output_shape(
        self, query_shape: Any, value_shape: Any = None, key_shape: Any = None
    ) -> Any:
        """Return the shape of the queries, with the output size."""
        return (*query_shape[:-1], *self._output_sizes(query_shape))


def joint_mask(
    query_mask: Any, value_mask: Any, key_mask: Any, attention_mask: Any, *others: Any
) -> Any:
    """Return where attention is allowed by all masks, shape (batch, queries, keys); None without.

    Masks of queries, of values and of keys have the shape (batch, steps).
    """
    masks = [None if query_mask is None else shape_ops.expand_dims(query_mask, -1)]
    of_keys = [each for each in (value_mask, key_mask) if each is not None]
    masks += [shape_ops.expand_dims(each, -2) for each in of_keys]
    known = [
        value_ops.cast(each, "bool")
        for each in (*masks, attention_mask, *others)
        if each is not None
    ]
    return reduce(math.logical_and, known) if known else None


@named_group
def _weights(query: Any, key: Any, mask: Any) -> Any:
    scores = linalg.einsum("bqhd,bkhd->bhqk", query, key)
    if mask is not None:
        allowed = value_ops.cast(mask, "bool")
        allowed = shape_ops.expand_dims(allowed, -3) if allowed.ndim > 2 else allowed
        scores = value_ops.where(allowed, scores, value_ops.cast(-1e9, scores.dtype))
    return nn.softmax(scores)


def _masked(scores: Any, mask: Any) -> Any:
    """Scores so low where the mask is false that their weights are 0."""
    shown: Any = value_ops.cast(mask, scores.dtype)
    return scores - 1e9 * (1.0 - shown)


def _causal_mask(queries: int, keys: int) -> Any:
    """True where the key is not after the query."""
    return linalg.band_part(value_ops.cast(creation.ones((queries, keys)), "bool"), -1, 0)


def _check_list(layer: str, shapes: Any) -> None:
    if not isinstance(shapes, list) or not isinstance(shapes[0], (tuple, list)):
        raise ValueError(
            f"{layer} layer must be called on a list of inputs, namely [query, value] or "
            f"[query, value, key]. Received: inputs={shapes}."
        )
