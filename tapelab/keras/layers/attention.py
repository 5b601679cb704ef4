"""Attention layers: averages of values, weighted by how well keys fit queries."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from math import prod, sqrt
from string import ascii_lowercase
from typing import Any

from tapelab import linalg, math, nn
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.keras import initializers
from tapelab.keras.class_settings import SettingGroup, setting
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers import layer_call
from tapelab.keras.layers.activation import Softmax
from tapelab.keras.layers.layer import BuiltInLayer, WeightedLayer, weights
from tapelab.keras.layers.noise import Dropout
from tapelab.keras.masks import masks_of
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
        shown = masks_of_places(query, key, causal=use_causal_mask, window=None)
        if mask is not None and mask[1] is not None:
            shown.append(shape_ops.expand_dims(value_ops.cast(mask[1], "bool"), -2))
        if shown:
            lower: Any = scores - (65504.0 if scores.dtype.name == "float16" else 1e9)
            scores = value_ops.where(reduce(math.logical_and, shown), scores, lower)
        weights = nn.softmax(scores)
        if self.dropout_layer is not None:
            weights = self.dropout_layer(weights, training=training)
        result: Any = linalg.matmul(weights, value)
        if mask is not None and mask[0] is not None:
            queries = value_ops.cast(shape_ops.expand_dims(mask[0], -1), "bool")
            result = value_ops.where(queries, result, value_ops.cast(0, result.dtype))
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
    attention_axes: Any = setting(None)
    sliding_window: int | None = setting(None)
    flash_attention: bool | None = setting(None)
    of_projections = SettingGroup({
        name: replace(each, convert=None)  # each projection makes initializers of its own
        for name, each in weights(kernel="glorot_uniform", bias="zeros").items()
    })  # fmt: skip
    use_gate: bool = setting(False)
    seed: int | None = setting(None)
    gate_dense: Any
    supports_masking = True

    def __post_init__(self) -> None:
        self.value_dim = self.value_dim or self.key_dim
        check_window(self.sliding_window)
        if isinstance(self.attention_axes, int):
            self.attention_axes = (self.attention_axes,)
        initializers.get(vars(self)["kernel_initializer"])  # Keras copies it, and draws its seed

    def build(  # type: ignore[override]  # several inputs, several shapes
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> None:
        """Create the projections of queries, keys, values, of the gate and of the result."""
        keys = key_shape or value_shape
        if tuple(value_shape[1:-1]) != tuple(keys[1:-1]):
            raise ValueError(
                "All dimensions of `value` and `key`, except the last one, must be equal. "
                f"Received: value_shape={value_shape} and key_shape={keys}"
            )
        shared = _Projection._settings.keys() - {"shape", "contracted_axes"}
        settings = {name: getattr(self, name) for name in shared} | {"dtype": self.dtype_policy}
        parts = {"query": (query_shape, self.key_dim), "key": (keys, self.key_dim)}
        if self.use_gate:
            parts["gate"] = (query_shape, self.value_dim)
        parts["value"] = (value_shape, self.value_dim)
        for name, (shape, width) in parts.items():
            part = _Projection((self.num_heads, width), 1, name=name, **settings)
            part.build(shape)
            setattr(self, f"{name}_dense", part)
        rank = len(query_shape)
        axes = range(1, rank - 1) if self.attention_axes is None else self.attention_axes
        self.attention_axes = tuple(axis % rank for axis in axes)
        self._equations = _attention_equations(rank + 1, self.attention_axes)
        self.softmax_layer = Softmax(tuple(range(-len(axes), 0)), dtype=self.dtype_policy)
        self.dropout_layer = Dropout(self.dropout, seed=self.seed, dtype=self.dtype_policy)
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
        """Return the projected values of all heads, and on request the weights.

        As in Keras the mask of the queries is the one that comes with them; `query_mask` is not
        looked at.
        """
        del query_mask
        key = value if key is None else key
        inputs = {"query": query, "key": key, "value": value}
        q, k, v = (getattr(self, f"{name}_dense")(each) for name, each in inputs.items())
        of_places = masks_of_places(
            query, value, causal=use_causal_mask, window=self.sliding_window
        )
        mask = joint_mask(masks_of(query), value_mask, key_mask, attention_mask, *of_places)
        fused = not (self.dropout or return_attention_scores or q.ndim != 4)
        softmax = None if fused else self.softmax_layer
        weights = attention_weights(q, k, self._equations[0], mask, softmax)
        used = self.dropout_layer(weights, training=training) if self.dropout else weights
        heads: Any = linalg.einsum(self._equations[1], used, v)
        if self.use_gate:
            heads = heads * nn.sigmoid(self.gate_dense(query))
        result = self.output_dense(heads)
        return (result, weights) if return_attention_scores else result

    def compute_output_shape(
        self, query_shape: Any, value_shape: Any = None, key_shape: Any = None
    ) -> Any:
        """Return the shape of the queries, with the output size."""
        return (*query_shape[:-1], *self._output_sizes(query_shape))

    def compute_output_spec(
        self, query: Any, value: Any, key: Any = None, return_attention_scores: bool = False,
        **settings: Any,
    ) -> Any:  # fmt: skip
        """Return a symbolic tensor of the output, and one of the weights if they are asked for."""
        output = KerasTensor(self.compute_output_shape(query.shape), self.compute_dtype)
        if not return_attention_scores:
            return output
        length = query.shape[1]
        weights = KerasTensor((query.shape[0], self.num_heads, length, length), self.compute_dtype)
        return output, weights


def _attention_equations(rank: int, axes: tuple[int, ...]) -> tuple[str, str]:
    """Return the einsum of queries and keys to scores, and that of weights and values.

    Queries have the shape (batch axes, attention axes, heads, features) in any order of the first
    two; scores are (batch axes, heads, axes of queries, axes of keys).
    """
    queries = ascii_lowercase[:rank]
    letters = iter(ascii_lowercase[rank:])
    keys = "".join(next(letters) if at in axes else each for at, each in enumerate(queries))
    batch = "".join(each for at, each in enumerate(queries[:-1]) if at not in axes)
    scores = batch + "".join(queries[at] for at in axes) + "".join(keys[at] for at in axes)
    return f"{queries},{keys}->{scores}", f"{scores},{keys}->{queries}"


def check_window(window: Any) -> None:
    """ValueError unless a sliding window is None or a positive integer."""
    if window is not None and (not isinstance(window, int) or window <= 0):
        raise ValueError(
            "`sliding_window` must be `None` or a positive integer. Received: "
            f"sliding_window={window}"
        )


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
def attention_weights(query: Any, key: Any, equation: str, mask: Any, softmax: Any) -> Any:
    """Return how much each key counts for each query: softmax(q kᵀ / √size) under a mask.

    Without a layer `softmax` they are those of Keras's `dot_product_attention`, computed in float32
    at least: a query without any key then averages all values. With one its weights are 0.
    """
    scores: Any = linalg.einsum(equation, query / sqrt(int(query.shape[-1])), key)
    if mask is not None:
        places = 2 * (scores.ndim - query.ndim + 1)
        mask = value_ops.cast(mask, "bool")
        for _ in range(scores.ndim - mask.ndim):
            mask = shape_ops.expand_dims(mask, -places - 1)
    if softmax is not None:
        return softmax(scores, mask=mask)
    if scores.dtype.name in {"float16", "bfloat16"}:
        scores = value_ops.cast(scores, "float32")
    if mask is not None:
        lowest: Any = value_ops.cast(-0.7 * scores.dtype.max, scores.dtype)
        scores = value_ops.where(mask, scores, lowest)
    return value_ops.cast(nn.softmax(scores), key.dtype)


def masks_of_places(query: Any, value: Any, *, causal: bool, window: int | None) -> list[Any]:
    """Return the masks that follow from the places of queries and keys, (1, queries, keys)."""
    if not causal and window is None:
        return []
    lengths = (_length(each) for each in (query, value))
    queries, keys = (creation.range(length) for length in lengths)
    apart: Any = math.subtract(shape_ops.reshape(queries, (1, -1, 1)), keys)
    masks = [apart >= 0] if causal else []
    return masks if window is None else [*masks, math.abs(apart) < window]


def _length(steps: Any) -> Any:
    lengths: Any = shape_ops.shape(steps)
    return lengths[1] if steps.shape[1] is None else steps.shape[1]


def _check_list(layer: str, shapes: Any) -> None:
    if not isinstance(shapes, list) or not isinstance(shapes[0], (tuple, list)):
        raise ValueError(
            f"{layer} layer must be called on a list of inputs, namely [query, value] or "
            f"[query, value, key]. Received: inputs={shapes}."
        )
