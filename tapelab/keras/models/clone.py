"""`tf.keras.models.clone_model`: the same layers with new weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab import nest
from tapelab.keras.layers.core import Input
from tapelab.keras.layers.layer import Layer
from tapelab.keras.models.functional import Functional
from tapelab.keras.models.sequential import Sequential


def clone_model(
    model: Any, input_tensors: Any = None, clone_function: Callable[[Any], Any] | None = None
) -> Any:
    """Return a model with a new layer from the config of each layer, connected as before.

    `clone_function` may construct a layer in another way. The weights are initialized again.
    """
    clone = clone_function or _copy_of
    if isinstance(model, Sequential):
        entry = [] if model._entry is None else [Input(batch_shape=model._entry.shape)]
        return Sequential([*entry, *(clone(layer) for layer in model.layers)], name=model.name)
    if not isinstance(model, Functional):
        raise ValueError(
            "Expected `model` argument to be a functional or Sequential model. Received a "
            f"subclassed model: {model}. Make it again from its class instead."
        )
    new_inputs = [] if input_tensors is None else nest.flatten(input_tensors)
    inputs = new_inputs or [_input_like(symbol) for symbol in model.inputs]
    values = {id(old): new for old, new in zip(model.inputs, inputs, strict=True)}
    clones: dict[int, Any] = {}
    for node in model._graph:
        layer = node.operation
        clones.setdefault(id(layer), clone(layer) if isinstance(layer, Layer) else layer)
        args, kwargs = node.arguments_with(values)
        results = clones[id(layer)](*args, **kwargs)
        pairs = zip(nest.flatten(node.result), nest.flatten(results), strict=True)
        values.update({id(old): new for old, new in pairs})
    outputs = [values[id(each)] for each in model.outputs]
    return Functional(
        nest.pack_sequence_as(model.input, inputs),
        nest.pack_sequence_as(model.output, outputs),
        name=model.name,
    )


def _copy_of(layer: Any) -> Any:
    if isinstance(layer, (Sequential, Functional)):
        return clone_model(layer)
    return type(layer).from_config(layer.get_config())


def _input_like(symbol: Any) -> Any:
    return Input(batch_shape=symbol.shape, dtype=symbol.dtype, name=symbol.origin.name)
