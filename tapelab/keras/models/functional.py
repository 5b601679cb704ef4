"""Functional models: the layers between symbolic inputs and outputs."""

from __future__ import annotations

from functools import cache
from typing import Any

from tapelab import nest
from tapelab.array_ops import shape_ops
from tapelab.keras.keras_tensor import KerasTensor, by_depth, nodes_between, run
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer_call import in_float, is_symbolic
from tapelab.keras.models.graph_config import graph_config
from tapelab.keras.models.model import Model


class Functional(Model):
    """Runs the layers that lead from its inputs to its outputs."""

    _inputs_structure: Any
    _operations: list[Any]
    """The layers and operations in Keras's order."""
    _outputs_structure: Any

    def __init__(
        self, inputs: Any = None, outputs: Any = None, name: str | None = None, **kwargs: Any
    ) -> None:
        Model.__init__(self, name=name, **kwargs)
        for each in [*nest.flatten(inputs), *nest.flatten(outputs)]:
            if not isinstance(each, KerasTensor):
                raise ValueError(
                    "All `inputs` and `outputs` of a functional model must be KerasTensors, such "
                    f"as tf.keras.Input gives. Received: {each} (of type {type(each)})"
                )
        self.__dict__.update(_inputs_structure=inputs, _outputs_structure=outputs)
        self._symbols = nest.flatten(inputs)
        self._results = nest.flatten(outputs)
        self._graph = tuple(nodes_between(self._symbols, self._results))
        self.__dict__["_operations"] = by_depth(self._graph, self._results)
        self._find_layers()
        self.input_spec = None
        self.built = True

    def _find_layers(self) -> None:
        for symbol in self._symbols:
            if symbol.origin is not None:
                self._track(symbol.origin)
        for operation in self._operations:
            self._track(operation)

    @property
    def inputs(self) -> list[Any]:
        """The symbolic inputs."""
        return list(self._symbols)

    @property
    def outputs(self) -> list[Any]:
        """The symbolic outputs."""
        return list(self._results)

    @property
    def input(self) -> Any:
        """The symbolic input, or the nest of them."""
        return self._inputs_structure

    @property
    def output(self) -> Any:
        """The symbolic output, or the nest of them."""
        return self._outputs_structure

    @property
    def input_shape(self) -> Any:
        """The shape of the input, or a list of several."""
        shapes = [each.shape for each in self._symbols]
        return shapes[0] if len(shapes) == 1 else shapes

    @property
    def output_shape(self) -> Any:
        """The shape of the output, or a list of several."""
        shapes = [each.shape for each in self._results]
        return shapes[0] if len(shapes) == 1 else shapes

    def _checkpoint_children(self) -> dict[str, Any]:
        entries = [symbol.origin for symbol in self._symbols]
        graph = {"_operations": [*entries, *self._operations]}
        return {**super()._checkpoint_children(), **graph}

    def build(self, input_shape: Any) -> None:
        """Do nothing: the layers are built already."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Return the outputs for inputs in the structure of the symbolic ones."""
        flat_inputs = self._flat_inputs(inputs)
        values: dict[int, Any] = {}
        for symbol, given in zip(self._symbols, flat_inputs, strict=True):
            value = as_input(symbol, given)
            self._check(symbol, value)
            values[id(symbol)] = _as(symbol, value)
        run(self._graph, values)
        flat = [values[id(each)] for each in self._results]
        return nest.pack_sequence_as(self._outputs_structure, flat)

    def _flat_inputs(self, inputs: Any) -> list[Any]:
        """The inputs in the order of the symbols; a dict may use their names."""
        if isinstance(inputs, dict):
            return self._by_name(inputs)
        flat = nest.flatten(inputs)
        if len(flat) != len(self._symbols):
            names = [symbol.name for symbol in self._symbols]
            raise ValueError(
                f'Layer "{self.name}" expects {len(names)} named input(s) with keys {names}, but '
                f"it received {len(flat)} input tensors. Pass inputs as a dict, e.g. "
                f"`layer({{'{names[0]}': ...}})`."
            )
        return flat

    def _by_name(self, inputs: dict[Any, Any]) -> list[Any]:
        named = isinstance(self._inputs_structure, dict)
        keys = [symbol.name for symbol in self._symbols]
        keys = sorted(self._inputs_structure) if named else keys
        for key in keys:
            if key not in inputs:
                raise ValueError(
                    f'Missing data for input "{key}". You passed a data dictionary with keys '
                    f"{list(inputs)}. Expected the following keys: {keys}"
                )
        return [inputs[key] for key in keys]

    def _check(self, symbol: KerasTensor, value: Any) -> None:
        problem = InputSpec(shape=symbol.shape).misfit(tuple(value.shape))
        if problem:
            raise ValueError(
                f"Input {self._symbols.index(symbol)} with name '{symbol.name}' of layer "
                f"'{self.name}' is incompatible with the layer: {problem}"
            )

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Return new symbolic tensors with the shapes of the outputs."""
        sizes = [tuple(each.shape)[:1] for each in nest.flatten(args[0])]
        batch = sizes[0] if sizes else (None,)
        fresh = [KerasTensor((*batch, *each.shape[1:]), each.dtype) for each in self._results]
        return nest.pack_sequence_as(self._outputs_structure, fresh)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shapes of the outputs."""
        return self.output_shape

    def get_config(self) -> dict[str, Any]:
        """Return the layers and their calls; the constructor's arguments if a subclass has some."""
        if type(self)._constructed_from_graph():
            return {"name": self.name, "trainable": self.trainable, **graph_config(self)}
        return super().get_config()


def as_input(symbol: KerasTensor, value: Any) -> Any:
    """Return a value in the rank of a symbolic input: a last axis of size 1 is added or removed."""
    if is_symbolic(value):
        return value
    wanted, shape = symbol.shape, tuple(value.shape)
    if len(shape) == len(wanted) - 1 and wanted[-1] == 1:
        return shape_ops.expand_dims(value, -1)
    if len(shape) == len(wanted) + 1 and shape[-1] == 1:
        return shape_ops.squeeze(value, -1)
    return value


def _as(symbol: KerasTensor, value: Any) -> Any:
    if is_symbolic(value):
        return value
    floats = symbol.dtype.startswith("float") and value.dtype.is_floating
    return in_float(value, symbol.dtype) if floats else value


@cache
def functional(kind: type) -> type:
    """Return a class of models with the methods of `Functional`."""
    if kind is Model:
        return Functional
    names = {"__module__": kind.__module__, "_declared_class": kind}
    return type(kind.__name__, (kind, Functional), names)


Model.functional = staticmethod(functional)
