"""`tf.keras.layers.Layer`: what every layer is: built once, then called, under its own name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Self

from tapelab import nest
from tapelab.core.dispatch import outside_trace
from tapelab.keras import masks, regularizers
from tapelab.keras.dtype_policies import policy_of
from tapelab.keras.graph import Node
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers import layer_call
from tapelab.keras.layers.arguments import bound, circumstances, taken_shape
from tapelab.keras.layers.input_spec import check_inputs
from tapelab.keras.layers.state import Stateful
from tapelab.keras.name_scopes import automatic_name, current_path, name_scope
from tapelab.keras.serialization import serialized
from tapelab.keras.trial import symbolic_outputs


class Layer(Stateful):
    """A function with weights: `build` makes the weights, `call` uses them.

    Its weights are made at the first call, when the shape of the input is known. Subclass it and
    write `__init__`, `build(self, input_shape)` and `call(self, inputs)`.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Remember the arguments, from which `get_config` tells how to make the same again."""
        made = super().__new__(cls)
        made.__dict__["_arguments"] = bound(cls, args, kwargs)
        return made

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if "build" in vars(cls):
            cls.build = _building(vars(cls)["build"])  # type: ignore[method-assign]  # once for all layers

    def __init__(
        self, *, activity_regularizer: Any = None, trainable: bool = True, dtype: Any = None,
        autocast: bool = True, name: str | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        self._begin()
        name = automatic_name(type(self)) if name is None else name
        self._input_shape_given = taken_shape(type(self), kwargs)
        if not isinstance(name, str) or "/" in name:
            raise ValueError(
                "Argument `name` must be a string and cannot contain character `/`. "
                f"Received: name={name} (of type {type(name)})"
            )
        self.name = name
        self.built = False
        self.autocast = autocast
        self.dtype_policy = policy_of(dtype)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.input_spec: Any = None
        self.supports_masking = False
        self._path: str | None = None
        self._build_shapes: Any = None
        self._building_depth = 0
        self._nodes: tuple[Node, ...] = ()
        self.trainable = trainable

    @property
    def dtype(self) -> str:
        """The dtype of its weights."""
        return self.dtype_policy.variable_dtype

    @property
    def compute_dtype(self) -> str:
        """The dtype of its numbers."""
        return self.dtype_policy.compute_dtype

    @property
    def variable_dtype(self) -> str:
        """The dtype of its weights."""
        return self.dtype_policy.variable_dtype

    @property
    def path(self) -> str | None:
        """Its name after those of the layers it is in; None before it is built."""
        return self._path

    @property
    def input(self) -> Any:
        """The symbolic input of its first use in a functional model."""
        return self._first_use("input").inputs

    @property
    def output(self) -> Any:
        """The symbolic output of its first use in a functional model."""
        return self._first_use("output").result

    def _first_use(self, what: str) -> Node:
        if not self._nodes:
            raise AttributeError(
                f"The layer {self.name} has never been called and thus has no defined {what}."
            )
        return self._nodes[0]

    def build(self, input_shape: Any) -> None:
        """Make the weights, once the shape of the input is known; there are none by default."""

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """What the layer does to its inputs."""
        raise NotImplementedError(
            f"Layer {type(self).__name__} does not have a `call` method implemented."
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Build the layer if need be, then `call` it, under its own name on the tape."""
        if not args and not kwargs:
            inspect.signature(self.call).bind()  # says which argument is missing
        mask = masks.masks_of(args[0] if args else None)
        dtype = self.compute_dtype if self.autocast else None
        args, kwargs, symbolic = layer_call.accepted(args, kwargs, dtype)
        training = layer_call.settle_training(self, kwargs.pop("training", None))
        if training is not None and layer_call.takes(type(self).call, "training"):
            kwargs["training"] = training
        if mask is not None and layer_call.takes(type(self).call, "mask"):
            kwargs.setdefault("mask", mask)
        first = args[0] if args else next(iter(kwargs.values()), None)
        check_inputs(self.input_spec, first, self.name)
        self._ensure_built(args, kwargs)
        if symbolic:
            return self._placed(args, kwargs)
        with name_scope(self.name, caller=self), layer_call.inside(self, training):
            outputs = self._called(args, kwargs)
            if self.activity_regularizer is not None:
                self.add_loss([self._activity_cost(each) for each in nest.flatten(outputs)])
        if self.supports_masking:
            masks.remember(outputs, self.compute_mask(first, mask))
        self._lock()
        return outputs

    def copy_with_state(self, stand_in: Callable[[Any], Any]) -> Self:
        """The same layer, drawing from the seeds that stand in for its own; itself without any."""
        seeds = self.__dict__.get("seed_generator")
        if seeds is None:
            return self
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.__dict__["seed_generator"] = stand_in(seeds)
        return made

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """Which steps of the output count; by default those that counted before."""
        return None if isinstance(previous_mask, list) else previous_mask

    def _activity_cost(self, output: Any) -> Any:
        """What an output costs, on average over the examples of a batch."""
        cost = self.activity_regularizer(output)
        return cost / float(output.shape[0]) if output.ndim else cost

    def _called(self, args: Any, kwargs: Any) -> Any:
        try:
            return self.call(*args, **kwargs)
        except Exception as error:
            error.add_note(circumstances(self, args, kwargs))
            raise

    def _placed(self, args: Any, kwargs: Any) -> Any:
        """The symbolic outputs for symbolic inputs, as one more node of a functional model."""
        with name_scope(self.name, caller=self):
            result = self.compute_output_spec(*args, **kwargs)
        self._nodes += (Node.joining(self, args, kwargs, result),)
        self._lock()
        return result

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Symbolic tensors like the outputs for such inputs."""
        if type(self).compute_output_shape is not Layer.compute_output_shape:
            shape = self.compute_output_shape(layer_call.shapes_of(args[0]))
            many = isinstance(shape, list)
            made = [KerasTensor(each, self.compute_dtype) for each in (shape if many else [shape])]
            return made if many else made[0]
        try:
            return symbolic_outputs(self.call, args, kwargs)
        except Exception as error:
            kind = type(self).__name__
            raise ValueError(
                f"Could not automatically infer the output shape / dtype of '{self.name}' (of type "
                f"{kind}). Either the `{kind}.call()` method is incorrect, or you need to "
                f"implement the `{kind}.compute_output_shape()` method. Error encountered:\n\n"
                f"{error}"
            ) from error

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the output for an input of a shape, found by a trial run."""
        self._ensure_built((KerasTensor(input_shape),), {})
        return symbolic_outputs(self.call, (KerasTensor(input_shape),), {}).shape

    def _ensure_built(self, args: Any, kwargs: Any) -> None:
        """Make the weights, at once even where a function is being traced."""
        if self.built:
            return
        with outside_trace() as trace:
            self._make_weights(args, kwargs)
        if trace is not None and self.weights:
            trace.adopt(self.weights)

    def _make_weights(self, args: Any, kwargs: Any) -> None:
        if self._builds_in_call():
            with name_scope(self.name, caller=self):
                self._path = current_path()
            self._build_shapes = layer_call.shapes_of(args[0] if args else None)
            self.built = True
            return
        given = {
            **dict(zip(layer_call.parameters_of(type(self).call), args, strict=False)),
            **kwargs,
        }
        names = list(layer_call.parameters_of(type(self).build))
        if len(names) == 1:
            first = args[0] if args else next(iter(kwargs.values()), None)
            self.build(layer_call.shapes_of(first))
            return
        tensors = {
            name: layer_call.shapes_of(given.get(name.removesuffix("_shape"))) for name in names
        }
        self.build(**{name: shape for name, shape in tensors.items() if shape is not None})

    def _builds_in_call(self) -> bool:
        """Whether it has no `build` of its own: layers inside are built as they are called."""
        return type(self).build is Layer.build

    def _lock(self) -> None:
        """Take no more weights and layers: an optimizer would not know of them."""
        self.__dict__["_locked"] = True

    def get_build_config(self) -> dict[str, Any] | None:
        """The shape it was built for."""
        return {"input_shape": self._build_shapes} if self.built else None

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same layer again, without its weights."""
        arguments = self.__dict__["_arguments"]
        told = {key: serialized(getattr(self, key, value)) for key, value in arguments.items()}
        base = {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": self.dtype_policy.as_data(),
        }
        return {**base, **{key: value for key, value in told.items() if key not in base}}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Make a layer from a config."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def _building(build: Callable[..., Any]) -> Callable[..., Any]:
    """A `build` that names its weights after the layer and says that it was built."""

    @wraps(build)
    def whole(self: Layer, *args: Any, **kwargs: Any) -> None:
        state = self.__dict__
        state["_building_depth"] += 1
        try:
            with name_scope(self.name, caller=self):
                self._path = current_path()
                build(self, *args, **kwargs)
        finally:
            state["_building_depth"] -= 1
        if state["_building_depth"] == 0:
            self._build_shapes = args[0] if args else next(iter(kwargs.values()), None)
            self.built = True
            if not self._builds_in_call():
                self._lock()
            if not self.trainable:
                self.trainable = False

    return whole


Layer.build = _building(Layer.build)  # type: ignore[method-assign]  # once for all layers
