"""Functions of TensorFlow's that are one op to their users, though several kernels compute them.

`tf.nn.softmax(x, axis=0)` transposes, and `tf.clip_by_value` takes a maximum of a minimum. A
recording shows them as the op that the user called; its gradient rule is TensorFlow's gradient of
the whole function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import tensorflow as tf

from tapelab.dtypes import as_dtype


class Whole(NamedTuple):
    """A function that is one op: where it stands, the op, its inputs and its settings by name."""

    owners: tuple[Any, ...]
    function: str
    op: str
    inputs: tuple[str, ...]
    settings: Callable[[Mapping[str, Any]], dict[str, Any]] = lambda given: {}


def along(given: Mapping[str, Any]) -> dict[str, Any]:
    """The axis that was given, by default the last."""
    axis = given.get("axis")
    return {"axis": -1 if axis is None else axis}


def reduced(given: Mapping[str, Any]) -> dict[str, Any]:
    """The axes of a reduction."""
    axis = given.get("axis")
    axes = (axis,) if isinstance(axis, int) else axis
    return {"axis": None if axes is None else tuple(axes), "keepdims": bool(given.get("keepdims"))}


def masked(given: Mapping[str, Any]) -> dict[str, Any]:
    """The axis along which a mask begins, by default the first."""
    return {"axis": given.get("axis") or 0}


def counted(given: Mapping[str, Any]) -> dict[str, Any]:
    """The dtype of a size or a shape."""
    dtype = given.get("out_type") or tf.int32
    return {"dtype": as_dtype(tf.as_dtype(dtype).name)}


def ordered(given: Mapping[str, Any]) -> dict[str, Any]:
    """The axis and the direction of sorting."""
    return {"axis": given.get("axis", -1), "descending": given.get("direction") == "DESCENDING"}


def encoded(given: Mapping[str, Any]) -> dict[str, Any]:
    """How many classes a one-hot encoding has, and its values."""
    off, on = given.get("off_value") or 0, given.get("on_value")
    return {
        "depth": int(given["depth"]), "on": 1 if on is None else on, "off": off,
        "axis": -1 if given.get("axis") is None else given["axis"],
    }  # fmt: skip


WHOLE: Final = (
    Whole((tf,), "clip_by_value", "clip_by_value", ("t", "clip_value_min", "clip_value_max")),
    Whole((tf.nn,), "softmax", "softmax", ("logits",), along),
    Whole((tf.nn,), "log_softmax", "log_softmax", ("logits",), along),
    Whole((tf, tf.math), "reduce_logsumexp", "reduce_logsumexp", ("input_tensor",), reduced),
    Whole((tf.nn,), "softmax_cross_entropy_with_logits", "softmax_cross_entropy",
          ("labels", "logits")),
    Whole((tf.nn,), "sparse_softmax_cross_entropy_with_logits", "sparse_softmax_cross_entropy",
          ("labels", "logits")),
    Whole((tf.nn,), "sigmoid_cross_entropy_with_logits", "sigmoid_cross_entropy",
          ("labels", "logits")),
    Whole((tf,), "boolean_mask", "boolean_mask", ("tensor", "mask"), masked),
    Whole((tf,), "size", "size", ("input",), counted),
    Whole((tf,), "shape", "shape", ("input",), counted),
    Whole((tf,), "rank", "rank", ("input",)),
    Whole((tf,), "argsort", "argsort", ("values",), ordered),
    Whole((tf,), "sort", "sort", ("values",), ordered),
    Whole((tf,), "one_hot", "one_hot", ("indices",), encoded),
)  # fmt: skip
