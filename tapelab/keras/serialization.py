"""From what a learner writes (`"relu"`, `"he_normal"`, a config) to the thing meant, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tapelab.keras.name_scopes import snake_case
from tapelab.keras.saving import registered


def resolver(
    kind: str, table: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> Callable[[Any], Any]:
    """A function that finds a thing of one kind by its name, its config or itself.

    Names without an entry are tried as class names in small letters: `he_normal` is HeNormal.
    """
    known = {**{snake_case(name): thing for name, thing in table.items()}, **table}

    def get(identifier: Any) -> Any:
        if identifier is None:
            return (defaults or {}).get("none")
        if isinstance(identifier, Mapping):
            return deserialized(identifier, known)
        if isinstance(identifier, str) and identifier in known:
            found = known[identifier]
            return found() if isinstance(found, type) else found
        if callable(identifier):
            return identifier() if isinstance(identifier, type) else identifier
        raise ValueError(f"Could not interpret {kind} identifier: {identifier}")

    get.__doc__ = f"The {kind} that a name or a config stands for; one that is given stays itself."
    return get


def deserialized(config: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """The thing that `serialized` wrote down."""
    name, known = config["class_name"], registered(known)
    if name not in known:
        raise TypeError(f"Could not locate class '{name}'. Pass the object itself instead.")
    maker = known[name]
    given = config.get("config", {})
    return maker.from_config(given) if hasattr(maker, "from_config") else maker(**given)


def serialized(thing: Any) -> Any:
    """A thing as plain data: a class with its config, a function by its name."""
    if hasattr(thing, "get_config") and not isinstance(thing, type):
        module = "keras." + type(thing).__module__.partition("tapelab.keras.")[2].split(".")[0]
        return {
            "module": module,
            "class_name": type(thing).__name__,
            "config": thing.get_config(),
            "registered_name": None,
        }
    if callable(thing):
        return thing.__name__
    if isinstance(thing, (list, tuple)):
        return type(thing)(serialized(each) for each in thing)
    return thing
