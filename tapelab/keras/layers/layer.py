"""`tf.keras.layers.Layer`: the base class of all layers, which are built once, then called.

A call converts its arguments to tensors of the layer's dtype, passes on the training flag and the
mask of the layer around it, checks the inputs, builds the weights if that was not done yet, and
runs `call` in a group of the recording that has the layer's name. A call with symbolic tensors
runs nothing: it adds a node to the graph of a functional model.

Built-in layers are declared by their settings (`BuiltInLayer`). `WeightedLayer` is the base of
those whose weights have an initializer, a regularizer and a constraint, `ElementwiseLayer` of those
whose output has the shape of the input.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Any, ClassVar, Final, Self

from tapelab import nest
from tapelab.core.dispatch import outside_trace
from tapelab.keras import constraints, dtype_policies, initializers, masks, regularizers
from tapelab.keras.backend import is_float_dtype
from tapelab.keras.class_settings import Configured, Setting, SettingGroup
from tapelab.keras.keras_tensor import KerasTensor, Node, symbolic_outputs
from tapelab.keras.layers import layer_call
from tapelab.keras.layers.input_spec import check_inputs
from tapelab.keras.layers.state import Stateful
from tapelab.keras.name_scopes import automatic_name, current_path, name_scope
from tapelab.keras.saving.pickles import Picklable
from tapelab.keras.serialization import serialized
from tapelab.keras.variables import Variable, autocast_scope, current_autocast

_SAME_DTYPE: Final = nullcontext()


class Layer(Stateful, Configured, Picklable):
    """A function with weights: `build` makes the weights, `call` uses them.

    The weights are created at the first call, when the shape of the input is known. A subclass
    writes `__init__`, `build(self, input_shape)` and `call(self, inputs)`.
    """

    _all_build_shapes: dict[str, Any]
    input_spec: Any = None
    supports_masking: bool = False
    stateless: ClassVar[bool] = False
    """Whether it has no weights, so that it is built once it is constructed."""
    _takes_more = True

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Store the arguments, which `get_config` returns."""
        layer = super().__new__(cls)
        layer.__dict__["_arguments"] = layer_call.bound_arguments(cls, args, kwargs)
        return layer

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if "build" in vars(cls):
            cls.build = _building(vars(cls)["build"])  # type: ignore[method-assign]  # once for all layers

    def __init__(
        self, *, activity_regularizer: Any = None, trainable: bool = True, dtype: Any = None,
        autocast: bool = True, name: str | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        self._create_lists()
        name = automatic_name(type(self)) if name is None else name
        self._input_shape_given = layer_call.pop_input_shape(type(self), kwargs)
        if not isinstance(name, str) or "/" in name:
            raise ValueError(
                "Argument `name` must be a string and cannot contain character `/`. "
                f"Received: name={name} (of type {type(name)})"
            )
        if not isinstance(trainable, bool):
            raise ValueError(
                f"Expected `trainable` to be a boolean. Received: trainable={trainable} "
                f"(of type {type(trainable)})"
            )
        self.name = name
        self.built = self.stateless and self._is_built_by_call()
        self.autocast = autocast
        self.dtype_policy = dtype_policies.get(dtype)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self._path: str | None = None
        self._build_shapes: Any = None
        self.__dict__["_all_build_shapes"] = {}
        self._building_depth = 0
        self._nodes: tuple[Node, ...] = ()
        self.trainable = trainable

    def _begin(self, arguments: dict[str, Any]) -> None:
        own = self._settings.keys() - {"activity_regularizer"}
        Layer.__init__(self, **{key: arguments.pop(key) for key in [*arguments] if key not in own})

    @property
    def dtype(self) -> str:
        """The dtype of its weights."""
        return self.variable_dtype

    @property
    def compute_dtype(self) -> str:
        """The dtype of its computation."""
        return self._policy.compute_dtype

    @property
    def input_dtype(self) -> str:
        """The dtype in which it gets inputs of floats."""
        return self.compute_dtype

    @property
    def variable_dtype(self) -> str:
        """The dtype of its weights."""
        return self._policy.variable_dtype

    @property
    def quantization_mode(self) -> str | None:
        """The kind of quantization; None here."""
        return self._policy.quantization_mode

    @property
    def _policy(self) -> dtype_policies.DTypePolicy:
        """Its policy, or the one that a map has for its path."""
        policy = self.dtype_policy
        if (
            type(policy) is dtype_policies.DTypePolicy
        ):  # a check for a map costs as much as the rest
            return policy
        if isinstance(policy, dtype_policies.DTypePolicyMap) and self._path:
            return policy[self._path]
        return policy

    @property
    def path(self) -> str | None:
        """Its name behind those of the layers that contain it; None before it is built."""
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
        """Create the weights for an input of a shape; there are none by default."""

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs from the inputs."""
        raise NotImplementedError(
            f"Layer {type(self).__name__} does not have a `call` method implemented."
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Build the layer if necessary, then run `call` in a group of the recording."""
        if not args and not kwargs:
            inspect.signature(self.call).bind()  # says which argument is missing
        mask = masks.masks_of(args[0] if args else None)
        dtype = self.compute_dtype if self.autocast else None
        if layer_call.mask_parameters(type(self).call):
            kwargs = layer_call.with_masks(type(self).call, args, kwargs)
        args, kwargs, symbolic = layer_call.convert_arguments(args, kwargs, dtype)
        training = layer_call.training_flag(self, kwargs.pop("training", None))
        if training is not None and layer_call.has_parameter(type(self).call, "training"):
            kwargs["training"] = training
        if mask is not None and layer_call.has_parameter(type(self).call, "mask"):
            kwargs.setdefault("mask", mask)
        first = args[0] if args else next(iter(kwargs.values()), None)
        check_inputs(self.input_spec, first, self.name)
        self._ensure_built(args, kwargs)
        if symbolic:
            return self._add_node(args, kwargs)
        with name_scope(self.name, caller=self), layer_call.call_scope(self, training):
            with self._autocast_scope():
                outputs = self._called(args, kwargs)
            if self.activity_regularizer is not None:
                self.add_loss([self._activity_penalty(each) for each in nest.flatten(outputs)])
        if self.supports_masking:
            masks.remember(outputs, self.compute_mask(first, mask))
        self._lock()
        return outputs

    def _autocast_scope(self) -> AbstractContextManager[None]:
        """The context in which weights are read in the dtype of the computation."""
        policy = self._policy
        compute = policy.compute_dtype
        same = not self.autocast or compute == policy.variable_dtype
        if same and current_autocast() is None:
            return _SAME_DTYPE
        casts = self.autocast and is_float_dtype(compute)
        return autocast_scope(compute if casts else None)

    def copy_with_state(self, stand_in: Callable[[Any], Any]) -> Self:
        """Return the layer with another seed generator; the layer itself if it draws no numbers."""
        seeds = self.__dict__.get("seed_generator")
        if seeds is None:
            return self
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.__dict__["seed_generator"] = stand_in(seeds)
        return copy

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """Return the mask of the output; by default that of the input."""
        return None if isinstance(previous_mask, list) else previous_mask

    def _activity_penalty(self, output: Any) -> Any:
        """The penalty of an output, averaged over the examples of the batch."""
        penalty = self.activity_regularizer(output)
        return penalty / float(output.shape[0]) if output.ndim else penalty

    def _called(self, args: Any, kwargs: Any) -> Any:
        try:
            return self.call(*args, **kwargs)
        except Exception as error:
            error.add_note(layer_call.call_description(self, args, kwargs))
            raise

    def _add_node(self, args: Any, kwargs: Any) -> Any:
        """The symbolic outputs for symbolic inputs: a new node of a functional model."""
        dtype = self.input_dtype if self.autocast else None
        inputs, options = layer_call.cast_symbols((args, kwargs), dtype)
        with name_scope(self.name, caller=self), self._autocast_scope():
            result = self.compute_output_spec(*inputs, **options)
        self._nodes += (Node.connect(self, args, kwargs, result),)
        self._lock()
        return result

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Return symbolic tensors with the shapes and dtypes of the outputs."""
        if type(self).compute_output_shape is not Layer.compute_output_shape:
            shape = self.compute_output_shape(layer_call.shapes_of(args[0]))
            many = isinstance(shape, list)
            shapes = shape if many else [shape]
            symbols = [KerasTensor(each, self.compute_dtype) for each in shapes]
            return symbols if many else symbols[0]
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
        """Return the shape of the output for an input of a shape, by running `call` on zeros."""
        self._ensure_built((KerasTensor(input_shape),), {})
        return symbolic_outputs(self.call, (KerasTensor(input_shape),), {}).shape

    def _ensure_built(self, args: Any, kwargs: Any) -> None:
        """Create the weights, outside the trace of a function."""
        if self.built:
            return
        with outside_trace() as trace:
            self._build_weights(args, kwargs)
        if trace is not None and self.weights:
            trace.adopt(self.weights)

    def _build_weights(self, args: Any, kwargs: Any) -> None:
        if self._is_built_by_call():
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

    def _is_built_by_call(self) -> bool:
        """Whether it has no `build`: the layers that it contains are built when they are called."""
        return type(self).build is Layer.build

    def _lock(self) -> None:
        """Refuse new weights and layers: an optimizer would not know them."""
        self.__dict__["_locked"] = True

    def get_build_config(self) -> dict[str, Any] | None:
        """Return the shape for which it was built."""
        if self._build_shapes is None:
            return None
        if len(self._all_build_shapes) > 1:
            return {"shapes_dict": self._all_build_shapes}
        return {"input_shape": self._build_shapes}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Build the layer for the shapes that `get_build_config` returned."""
        if "shapes_dict" in config:
            shapes = layer_call.shapes_in(config["shapes_dict"])
            self.build(**shapes)
        elif config.get("input_shape") is not None:
            self.build(layer_call.shapes_in(config["input_shape"]))

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal layer, without the weights."""
        arguments = self.__dict__["_arguments"]
        if not type(self).get_config.__module__.startswith("tapelab."):  # adds the user's arguments
            arguments = {key: value for key, value in arguments.items() if key in self._settings}
        config = {key: serialized(getattr(self, key, value)) for key, value in arguments.items()}
        base = {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": serialized(self.dtype_policy),
        }
        known = {*base, "weights"}  # initial weights are an argument of some layers, and no setting
        return {**base, **{key: value for key, value in config.items() if key not in known}}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def _building(build: Callable[..., Any]) -> Callable[..., Any]:
    """A `build` that puts weights into the layer's name scope, and marks the layer as built."""

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
            names = layer_call.parameters_of(type(self).build)
            shapes = {**dict(zip(names, args, strict=False)), **kwargs}
            self.__dict__["_all_build_shapes"] = shapes
            self._build_shapes = next(iter(shapes.values()), None)
            self.built = True
            if not self._is_built_by_call():
                self._lock()
            if not self.trainable:
                self.trainable = False

    return whole


Layer.build = _building(Layer.build)  # type: ignore[method-assign]  # once for all layers


def weights(*, activity: bool = False, **initial: str) -> SettingGroup:
    """Declare the initializer, regularizer and constraint of each weight, in Keras's order.

    `initial` names the default initializer of each weight. `activity` adds the regularizer of the
    layer's output.
    """
    group = SettingGroup()
    for part, initializer in initial.items():
        group[f"{part}_initializer"] = Setting(initializer, initializers.get)
    for part in initial:
        group[f"{part}_regularizer"] = Setting(None, regularizers.get)
    if activity:
        group["activity_regularizer"] = Setting(None)
    for part in initial:
        group[f"{part}_constraint"] = Setting(None, constraints.get)
    return group


class BuiltInLayer(Layer):
    """A layer that is declared by its settings; `**kwargs` are the arguments of `Layer`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        Configured.__init__(self, *args, **kwargs)


class WeightedLayer(BuiltInLayer):
    """A layer with named weights: declared by `weights`, created by `make` in `build`."""

    def make(
        self, part: str, shape: Any, *, name: str = "", trainable: bool = True,
        autocast: bool = True, fans: tuple[int, int] | None = None,
    ) -> Variable:  # fmt: skip
        """Create a declared weight; `fans` says how many inputs and outputs it connects."""
        initializer = getattr(self, f"{part}_initializer")
        if fans is not None and math.prod(fans) == math.prod(shape):
            initializer = initializers.reshaped(initializer, fans)
        return self.add_weight(
            shape, initializer, name=name or part, trainable=trainable, autocast=autocast,
            regularizer=getattr(self, f"{part}_regularizer", None),
            constraint=getattr(self, f"{part}_constraint", None),
        )  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        value = getattr(type(self), name, None)
        if isinstance(value, property):  # it raised an AttributeError; raise that again
            return value.__get__(self)
        if f"{name.lstrip('_')}_initializer" in self.__dict__:
            raise AttributeError(f"You must build the layer before accessing `{name}`.")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


class ElementwiseLayer(BuiltInLayer):
    """A layer whose output has the shape and the mask of its input."""

    supports_masking = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of the input."""
        return input_shape
