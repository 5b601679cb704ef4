"""From names (`"relu"`, `"he_normal"`) and configs to objects, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tapelab.keras.name_scopes import snake_case
from tapelab.keras.saving import registered


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
        if isinstance(identifier, str) and identifier in known:
            named = known[identifier]
            return named() if isinstance(named, type) else named
        if callable(identifier):
            return identifier() if isinstance(identifier, type) else identifier
        raise ValueError(f"Could not interpret {kind} identifier: {identifier}")

    get.__doc__ = f"Return the {kind} of a name or a config; an object is returned itself."
    return get


def deserialized(config: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """Return the object that `serialized` described."""
    name, known = config["class_name"], registered(known)
    if name not in known:
        raise TypeError(f"Could not locate class '{name}'. Pass the object itself instead.")
    kind, settings = known[name], config.get("config", {})
    return kind.from_config(settings) if hasattr(kind, "from_config") else kind(**settings)


def serialized(obj: Any) -> Any:
    """Return an object as plain data: a class with its config, a function by its name."""
    if hasattr(obj, "get_config") and not isinstance(obj, type):
        module = "keras." + type(obj).__module__.partition("tapelab.keras.")[2].split(".")[0]
        return {
            "module": module,
            "class_name": type(obj).__name__,
            "config": obj.get_config(),
            "registered_name": None,
        }
    if callable(obj):
        return obj.__name__
    if isinstance(obj, (list, tuple)):
        return type(obj)(serialized(each) for each in obj)
    return obj
