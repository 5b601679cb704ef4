"""The graph of a functional model as plain data, and back: its layers, and the calls of each.

A symbolic tensor is written as the name of the layer that computes it, the number of that call, and
the number of the result. An operation without weights, such as `x * 2`, is a layer of one call;
Keras has a class for each, whose name is that of the function in capitals (`Multiply`).
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from tapelab import nest
from tapelab.keras import ops
from tapelab.keras.keras_tensor import KerasTensor, Node, Operation
from tapelab.keras.layers.core import InputLayer
from tapelab.keras.name_scopes import snake_case
from tapelab.keras.serialization import deserialize_keras_object, serialize_keras_object

TENSOR: Final = "__keras_tensor__"
OPS: Final = "keras.src.ops."
OPERANDS: Final = frozenset({
    "a", "b", "condition", "inputs", "key", "operands", "tensor", "values", "x", "x1", "x2",
    "xs", "y",
})  # fmt: skip
"""Parameters that a call of an operation gets in Keras; its constructor gets the others."""
OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "floor_divide": operator.floordiv, "get_item": operator.getitem, "matmul": operator.matmul,
    "mod": operator.mod, "power": operator.pow, "true_divide": operator.truediv,
}  # fmt: skip
_IN_NN: Final = frozenset({
    "average_pool", "binary_crossentropy", "categorical_crossentropy", "celu", "conv",
    "conv_transpose", "elu", "gelu", "glu", "hard_sigmoid", "hard_silu", "hard_tanh",
    "leaky_relu", "log_sigmoid", "log_softmax", "max_pool", "moments", "multi_hot", "normalize",
    "one_hot", "relu", "relu6", "selu", "separable_conv", "sigmoid", "silu", "softmax",
    "softplus", "softsign", "sparse_categorical_crossentropy", "threshold",
})  # fmt: skip
_IN_MATH: Final = frozenset({
    "erf", "erfinv", "in_top_k", "logsumexp", "rsqrt", "top_k",
})  # fmt: skip
_IN_CORE: Final = frozenset({
    "cast", "stop_gradient", "unstack",
})  # fmt: skip


def graph_config(model: Any) -> dict[str, Any]:
    """Return the layers of a functional model with their calls, its inputs and its outputs."""
    calls: dict[int, list[Node]] = {}
    for node in model._graph:
        calls.setdefault(id(node.operation), []).append(node)
    names = _Names(calls)
    entries = [(symbol.origin, ()) for symbol in model._symbols]
    inner = [(operation, calls[id(operation)]) for operation in model._operations]
    configs = [_layer_config(*entry, names) for entry in [*entries, *inner]]
    return {
        "layers": configs,
        "input_layers": nest.map_structure(names.end_of, model.input),
        "output_layers": nest.map_structure(names.end_of, model.output),
    }


class _Names:
    """How the symbolic tensors of a graph are written."""

    def __init__(self, calls: Mapping[int, list[Node]]) -> None:
        self._calls = calls

    def of(self, symbol: KerasTensor) -> list[Any]:
        """The name of the layer, the number of its call, and the number of the result."""
        node = symbol.history
        if node is None or id(node.operation) not in self._calls:
            return [symbol.origin.name, 0, 0]
        results = nest.flatten(node.result)
        number = next(at for at, result in enumerate(results) if result is symbol)
        return [node.operation.name, self._calls[id(node.operation)].index(node), number]

    def end_of(self, symbol: KerasTensor) -> list[Any]:
        """The same for an end of the graph, where a model in it has made a call of its own."""
        name, call, number = self.of(symbol)
        operation = None if symbol.history is None else symbol.history.operation
        return [name, call + hasattr(operation, "_graph"), number]

    def config_of(self, value: Any) -> Any:
        """An argument of a call."""
        if not isinstance(value, KerasTensor):
            return serialize_keras_object(value)
        history = {"shape": value.shape, "dtype": value.dtype, "keras_history": self.of(value)}
        return {"class_name": TENSOR, "config": history}

    def nested(self, value: Any) -> Any:
        """A nest of arguments."""
        if isinstance(value, dict):
            return {key: self.nested(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.nested(each) for each in value]
        return self.config_of(value)


def _layer_config(operation: Any, calls: Any, names: _Names) -> dict[str, Any]:
    if isinstance(operation, Operation):
        (node,) = calls
        args, settings = _operands(operation, node)
        config = _operation_config(operation, settings)
        nodes = [{"args": names.nested(args), "kwargs": {}}]
    else:
        config = serialize_keras_object(operation)
        nodes = [
            {"args": names.nested(node.args), "kwargs": names.nested(node.kwargs)} for node in calls
        ]
    return {**config, "name": operation.name, "inbound_nodes": nodes}


def _operands(operation: Operation, node: Node) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of an operation's call that Keras gives to the call, and the settings."""
    if operation.kind in OPERATORS:
        return [*node.args], {}
    arguments = inspect.signature(operation.function).bind(*node.args, **node.kwargs).arguments
    settings = {key: value for key, value in arguments.items() if key not in OPERANDS}
    args: list[Any] = []
    for key, value in arguments.items():
        if key in OPERANDS:
            args.extend(value if key == "operands" else [value])
    return args, settings


def _operation_config(operation: Operation, settings: dict[str, Any]) -> dict[str, Any]:
    kind = operation.kind
    name = "".join(part.capitalize() for part in kind.split("_"))
    home = (
        "nn" if kind in _IN_NN else "math" if kind in _IN_MATH
        else "core" if kind in _IN_CORE else "linalg" if kind == "norm" else "numpy"
    )  # fmt: skip
    config = {"name": operation.name, **serialize_keras_object(settings)}
    return {
        "module": f"{OPS}{home}", "class_name": name, "config": config, "registered_name": name,
    }  # fmt: skip


def connected(config: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the inputs and outputs of a graph that is built from its config."""
    graph = _Graph(config["layers"])
    return graph.ends(config["input_layers"]), graph.ends(config["output_layers"])


class _Graph:
    """Layers from their configs, and the symbolic results of their calls.

    A call waits until those are there that compute its arguments.
    """

    def __init__(self, configs: list[dict[str, Any]]) -> None:
        self._results: dict[str, list[Any]] = {}
        self._is_model: dict[str, bool] = {}
        waiting = []
        for each in configs:
            layer, name = _layer_of(each), each["name"]
            self._results[name] = []
            self._is_model[name] = hasattr(layer, "_graph")
            if isinstance(layer, InputLayer):
                self._results[name] = [[_symbol_of(layer, name)]]
            waiting += [(layer, name, node) for node in each.get("inbound_nodes", [])]
        while waiting:
            left = [call for call in waiting if not self._ran(*call)]
            if len(left) == len(waiting):
                names = sorted({name for _, name, _ in left})
                raise ValueError(
                    "Invalid Functional model configuration. The graph has loops or nodes that are "
                    f"not connected, at {names}."
                )
            waiting = left

    def _ran(self, layer: Any, name: str, node: Mapping[str, Any]) -> bool:
        """Run a call of a layer if its arguments are known; whether they are."""
        try:
            args, kwargs = self._argument(node["args"]), self._argument(node["kwargs"])
        except LookupError:
            return False
        self._results[name].append(nest.flatten(layer(*args, **kwargs)))
        return True

    def _argument(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._argument(each) for each in value]
        if not isinstance(value, dict):
            return value
        if value.get("class_name") == TENSOR:
            layer, call, number = value["config"]["keras_history"]
            return self._results[layer][call][number]
        if "class_name" in value:
            return deserialize_keras_object(value)
        return {key: self._argument(each) for key, each in value.items()}

    def ends(self, places: Any) -> Any:
        """The symbolic tensors at the places of inputs or outputs."""
        if isinstance(places, dict):
            return {key: self.ends(each) for key, each in places.items()}
        if len(places) == 3 and isinstance(places[0], str):
            layer, call, number = places
            return self._results[layer][call - self._is_model[layer]][number]
        return [self.ends(each) for each in places]


def _symbol_of(layer: InputLayer, name: str) -> KerasTensor:
    symbol = layer.output
    if symbol.origin is None:
        symbol.origin, symbol.name = layer, name
    return symbol


def _layer_of(config: dict[str, Any]) -> Any:
    """The layer or operation of a config."""
    if str(config.get("module")).startswith(OPS):
        return _operation_caller(snake_case(config["class_name"]), dict(config["config"]))
    return deserialize_keras_object(config)


def _operation_caller(kind: str, settings: dict[str, Any]) -> Callable[..., Any]:
    """A function that calls an operation with operands, and with settings that it knows."""
    name = settings.pop("name", None)
    function = OPERATORS.get(kind) or _public_op(kind)
    known = {} if kind in OPERATORS else _parameters(function)
    settings = {key: value for key, value in settings.items() if key in known}

    def call(*operands: Any) -> Any:
        if kind == "einsum":
            operands = (settings.pop("subscripts"), *operands)
        return Operation(function, kind, name).add_node(operands, settings)

    return call


def _public_op(kind: str) -> Callable[..., Any]:
    function = getattr(ops, kind, None)
    if kind.startswith("_") or not callable(function):
        raise TypeError(f"tapelab has no operation keras.ops.{kind}, which the model uses.")
    return function  # type: ignore[no-any-return]  # of any module


@cache
def _parameters(function: Callable[..., Any]) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)
