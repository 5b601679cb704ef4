"""From names (`"relu"`, `"he_normal"`) and configs to objects, and back.

A config is plain data: the module and the name of a class, the arguments of an equal object, and
for a layer or model the shapes it was built for and how it was compiled. Keras writes and reads the
same, so that files go both ways. Configs come from files: they name classes of Keras, registered
classes, and classes of layers and the like that are imported already; no code is in them, and
nothing is imported for them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import FunctionType
from typing import Any, Final

import numpy as np

from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.tensor_shape import TensorShape
from tapelab.dtypes import DType, as_dtype
from tapelab.keras.class_settings import Configured
from tapelab.keras.name_scopes import snake_case
from tapelab.keras.saving.registration import (
    custom_object_scope,
    get_custom_objects,
    get_registered_name,
    registered,
)

OWN: Final = "tapelab.keras."
PLACES: Final = {
    "DTypePolicyMap": "keras.dtype_policies",
    "dtype_policies": "keras",
    "functional": "keras.src.models.functional",
    "loss": "keras.losses",
    "models": "keras",
    "schedules": "keras.optimizers.schedules",
}
"""Keras's module for a class or a module of ours, where that has another name."""
MODULES: Final = (
    *("layers", "models", "activations", "initializers", "losses", "metrics", "optimizers"),
    *("optimizers.schedules", "regularizers", "constraints", "dtype_policies", "random"),
)
"""The modules whose classes and functions a config may name."""
GENERAL: Final = frozenset(["activity_regularizer", "autocast", "dtype", "name", "trainable"])
"""Settings that are declared elsewhere than in a class itself."""
USUAL: Final[dict[str, Any]] = {"attention_axes": [1], "renorm_momentum": 0.99}
"""The values of settings that tapelab does not have, where those are not None or False."""
UNREGISTERED: Final = (
    "Make sure custom classes and functions are decorated with "
    "`@keras.saving.register_keras_serializable()`, or pass custom_objects="
)


def resolver(
    kind: str, table: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> Callable[[Any], Any]:
    """Return a function that finds an object of one kind by its name or its config.

    Class names are also known in snake case: `he_normal` is HeNormal.
    """
    known = {**{snake_case(name): obj for name, obj in table.items()}, **table}

    def get(identifier: Any) -> Any:
        if identifier is None:
            return (defaults or {}).get("none")
        if isinstance(identifier, Mapping):
            return deserialized(identifier, known)
        if isinstance(identifier, str):
            exact = get_custom_objects().get(identifier)
            named = exact or known.get(identifier) or registered().get(identifier)
            if named is not None:
                return named() if isinstance(named, type) else named
        if callable(identifier):
            return identifier() if isinstance(identifier, type) else identifier
        raise ValueError(f"Could not interpret {kind} identifier: {identifier}")

    get.__doc__ = f"Return the {kind} of a name or a config; an object is returned itself."
    return get


def deserialized(config: Any, known: Mapping[str, Any]) -> Any:
    """Return the object that `serialized` described, of a class among those known by name."""
    if not isinstance(config, Mapping) or "class_name" not in config:
        return deserialize_keras_object(config)
    is_function = config["class_name"] == "function"
    name = config["config"] if is_function else config["class_name"]
    kind = known.get(name)
    if kind is None or registered().get(config.get("registered_name") or name):
        return deserialize_keras_object(config)
    return kind if isinstance(kind, FunctionType) else constructed(kind, config)


def serialized(obj: Any) -> Any:
    """Return an object as a part of a config: a function of Keras by its name alone.

    What no config can describe, such as a lambda, is returned itself: it can be copied within the
    process, and not saved.
    """
    if isinstance(obj, (list, tuple)):
        return type(obj)(serialized(each) for each in obj)
    if isinstance(obj, FunctionType) and obj.__module__.startswith("tapelab."):
        return obj.__name__
    try:
        return serialize_keras_object(obj)
    except TypeError:
        return obj


def serialize_keras_object(obj: Any) -> Any:
    """Return the config of an object; TypeError for what has none."""
    if obj is None or isinstance(obj, (str, int, float, bool)):
        return obj
    if isinstance(obj, (list, tuple)):
        return type(obj)([serialize_keras_object(each) for each in obj])
    if isinstance(obj, Mapping):
        return {key: serialize_keras_object(value) for key, value in obj.items()}
    special = _special_config(obj)
    if special is not None:
        return special
    if isinstance(obj, (FunctionType, type)):
        return _function_config(obj)
    if not hasattr(obj, "get_config"):
        raise TypeError(
            f"Cannot serialize object {obj} of type {type(obj)}. To be serializable, its class "
            "needs a `get_config()` method."
        )
    config = obj.get_config()
    if not isinstance(config, dict):
        raise TypeError(f"The `get_config()` method of {obj} should return a dict. Got: {config}")
    whole = {**_class_names(type(obj)), "config": serialize_keras_object(config)}
    for part in ("build_config", "compile_config"):
        of_part = getattr(obj, f"get_{part}", None)
        value = None if of_part is None else of_part()
        if value is not None:
            whole[part] = serialize_keras_object(value)
    order = ("module", "class_name", "config", "registered_name", "build_config", "compile_config")
    return {key: whole[key] for key in order if key in whole}


def _special_config(obj: Any) -> Any:
    """The config of a value that is no object of Keras; None for others."""
    if isinstance(obj, np.generic) or (isinstance(obj, np.ndarray) and obj.ndim == 0):
        return obj.item()
    if isinstance(obj, np.ndarray):
        return _array_config("__numpy__", obj)
    if isinstance(obj, Tensor):
        return _array_config("__tensor__", obj.numpy())
    if isinstance(obj, TensorShape):
        return obj.as_list()
    if isinstance(obj, DType):
        return obj.name
    if isinstance(obj, bytes):
        return {"class_name": "__bytes__", "config": {"value": obj.decode()}}
    if isinstance(obj, slice):
        parts = {name: getattr(obj, name) for name in ("start", "stop", "step")}
        return {"class_name": "__slice__", "config": serialize_keras_object(parts)}
    return {"class_name": "__ellipsis__", "config": {}} if obj is Ellipsis else None


def _array_config(class_name: str, array: Any) -> dict[str, Any]:
    values = {"value": np.asarray(array).tolist(), "dtype": np.asarray(array).dtype.name}
    return {"class_name": class_name, "config": values}


def _function_config(function: Any) -> dict[str, Any]:
    if function.__name__ == "<lambda>":
        raise TypeError(
            "A lambda cannot be saved: files hold no code. Write a function with a name (def), and "
            "register it with @keras.saving.register_keras_serializable()."
        )
    name = get_registered_name(function)
    place = _public_place(function)
    if place is None:
        names = {"module": "builtins", "class_name": "function", "registered_name": "function"}
        return {**names, "config": name}
    return {"module": place, "class_name": "function", "config": name, "registered_name": name}


def _class_names(kind: Any) -> dict[str, Any]:
    kind = getattr(kind, "_declared_class", kind)
    place = _public_place(kind)
    name = kind.__name__
    if place is not None:
        registered_name = name if place.startswith("keras.src.") else None
        return {"module": place, "class_name": name, "registered_name": registered_name}
    module = None if kind.__module__ == "__main__" else kind.__module__
    return {
        "module": module, "class_name": name, "registered_name": get_registered_name(kind),
    }  # fmt: skip


def _public_place(obj: Any) -> str | None:
    """The module of Keras that offers a class or function of ours; None for those of users."""
    home = obj.__module__
    if not home.startswith(OWN) or obj.__name__.startswith("_"):
        return None
    parts = home.removeprefix(OWN).split(".")
    names = (obj.__name__, parts[-1], parts[0])
    return next((PLACES[name] for name in names if name in PLACES), f"keras.{parts[0]}")


def deserialize_keras_object(
    config: Any, custom_objects: Mapping[str, Any] | None = None, safe_mode: bool = True,
    **unused: Any,
) -> Any:  # fmt: skip
    """Return the object that `serialize_keras_object` described.

    `custom_objects` are classes and functions of yours by name, beside those that are registered.
    """
    del unused
    with custom_object_scope(custom_objects or {}):
        return _deserialized(config)


def _deserialized(config: Any) -> Any:
    if isinstance(config, str):
        return registered().get(config, config)
    if isinstance(config, (list, tuple)):
        return [_deserialized(each) for each in config]
    if not isinstance(config, Mapping):
        return config
    if "class_name" not in config or "config" not in config:
        return {key: _deserialized(value) for key, value in config.items()}
    name, inner = config["class_name"], config["config"]
    if name in _SPECIAL:
        return _SPECIAL[name](inner)
    if name == "__typespec__" and not isinstance(inner, (list, tuple)):
        raise TypeError(
            f"Invalid format: Expected 'config' to be a list or a tuple, got {inner} instead."
        )
    if name == "function":
        if not isinstance(inner, str):
            raise TypeError(
                f"Invalid format: Expected 'config' to be a non-null str, got {inner} instead."
            )
        return _function_named(config)
    if inner is not None and not isinstance(inner, Mapping):
        raise TypeError(f"Invalid format: Expected 'config' to be a dict, got {inner} instead.")
    return constructed(_class_named(config), config)


def constructed(kind: Any, config: Mapping[str, Any]) -> Any:
    """Return an object of a class from its config, built and compiled as that says."""
    settings = config.get("config") or {}
    if not hasattr(kind, "from_config"):
        return kind(**settings)
    obj = kind.from_config(_known_settings(kind, settings))
    build_config, compile_config = config.get("build_config"), config.get("compile_config")
    if build_config and not obj.built:
        obj.build_from_config(build_config)
    if compile_config and hasattr(obj, "compile_from_config"):
        obj.compile_from_config(compile_config)
    return obj


def _known_settings(kind: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a class without those that only Keras has and that are off in the config."""
    if not kind.__module__.startswith(OWN) or not getattr(kind, "_settings", None):
        return dict(settings)
    known = kind._settings.keys() | GENERAL
    return {
        key: value for key, value in settings.items()
        if key in known or (value and USUAL.get(key) != value)
    }  # fmt: skip


def _class_named(config: Mapping[str, Any]) -> Any:
    """The class that a config names: registered, of Keras, or imported already."""
    name, module = config["class_name"], config.get("module")
    custom = registered().get(config.get("registered_name") or name) or registered().get(name)
    if custom is not None:
        return custom
    for home in _homes(module):
        kind = getattr(home, name, None)
        if isinstance(kind, type):
            _check_registered_name(config, name)
            return kind
    kind = getattr(sys.modules.get(module or ""), name, None)
    if isinstance(kind, type) and issubclass(kind, Configured):
        return kind
    raise TypeError(
        f"Could not locate class '{name}'. {UNREGISTERED}{{'{name}': {name}}}. Full object config: "
        f"{config}"
    )


def _function_named(config: Mapping[str, Any]) -> Any:
    name = config["config"]
    custom = registered().get(name)
    if custom is not None:
        return custom
    for home in _homes(config.get("module")):
        function = getattr(home, name, None)
        if callable(function) and not name.startswith("_"):
            _check_registered_name(config, "function")
            return function
    raise TypeError(
        f"Could not locate function '{name}'. {UNREGISTERED}{{'{name}': {name}}}. Full object "
        f"config: {config}"
    )


def _check_registered_name(config: Mapping[str, Any], name: str) -> None:
    """Raise ValueError if the config of a part of Keras says that it was registered otherwise."""
    registered_name = config.get("registered_name")
    if registered_name not in {None, "", name, config["config"] if name == "function" else name}:
        raise ValueError(
            f"The config of {config['class_name']!r} resolved to a Keras built-in, but its "
            f"registered_name is {registered_name!r}."
        )


def _homes(module: Any) -> Iterator[Any]:
    """The modules of tapelab.keras in which a module of Keras may be found; none for others."""
    if module == "builtins":  # where Keras says that functions are
        module = "keras"
    if not isinstance(module, str) or module.partition(".")[0] != "keras":
        return
    own = module.removeprefix("keras.src.").removeprefix("keras").lstrip(".")
    if own in MODULES:
        yield import_module(OWN + own)
    elif module == "keras" or module.startswith("keras.src."):
        for each in MODULES:
            if module == "keras" or own.startswith(each):
                yield import_module(OWN + each)


def _no_lambda(config: Any) -> Any:
    raise ValueError(
        "The file holds the code of a Python lambda. tapelab does not run code from files. Write a "
        "function with a name, register it, and save the model again."
    )


_SPECIAL: Final[dict[str, Callable[[Any], Any]]] = {
    "__numpy__": lambda config: np.array(config["value"], dtype=config["dtype"]),
    "__tensor__": lambda config: constant_of(
        np.array(config["value"], as_dtype(config["dtype"]).as_numpy_dtype)[()]
    ),
    "__bytes__": lambda config: config["value"].encode(),
    "__slice__": lambda config: slice(config["start"], config["stop"], config["step"]),
    "__ellipsis__": lambda config: Ellipsis,
    "__lambda__": _no_lambda,
}
"""How values that are no objects of Keras are read, by their class names."""
