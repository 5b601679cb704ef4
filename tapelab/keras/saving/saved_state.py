"""The variables of a model by the path of their layer, in the order in which Keras saves them.

A part is what has `save_own_variables`: a layer, a model, an optimizer. It is known by the
attributes that lead to it, such as `layers/dense` or `encoder/blocks/dense_1`; public attributes
count before private ones. Parts in a list or dict are numbered by class, so that their automatic
names do not matter.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.keras.layers.layer import Layer
from tapelab.keras.models.model import Model
from tapelab.keras.name_scopes import snake_case

Store = dict[str, NDArray[Any]]
Named = Iterator[tuple[str, Any]]


def saved_state(root: Any, skipped: Iterable[Any] = ()) -> dict[str, tuple[str, Store]]:
    """Return the name and the arrays of each part by its path, without those skipped."""
    state = {}
    for path, part in parts_of(root, skipped):
        store: dict[str, Any] = {}
        part.save_own_variables(store)
        arrays = {key: np.asarray(value) for key, value in store.items()}
        state[path] = (str(getattr(part, "name", "")), arrays)
    return state


def restore_state(
    root: Any, state: Mapping[str, Store], *, skip_mismatch: bool = False,
    skipped: Iterable[Any] = (),
) -> None:  # fmt: skip
    """Assign saved arrays to the variables of all parts.

    What does not fit is reported at the end, as a ValueError or with `skip_mismatch` as a warning.
    """
    problems = []
    for path, part in parts_of(root, skipped):
        try:
            part.load_own_variables(state.get(path, {}))
        except (ValueError, KeyError) as error:
            problems.append((part, error))
    if not problems:
        return
    part, problem = problems[0]
    message = (
        f"A total of {len(problems)} objects could not be loaded. Example error message for object "
        f"{part}:\n\n{problem}\n\nList of objects that could not be loaded:\n"
        f"{[part for part, _ in problems]}"
    )
    if not skip_mismatch:
        raise ValueError(message) from problem
    warnings.warn(message, stacklevel=4)


def parts_of(root: Any, skipped: Iterable[Any] = ()) -> Named:
    """Yield each part with its path, once: a part before those inside it; not those skipped."""
    seen: set[int] = {id(each) for each in skipped}
    pending: list[Named] = [iter([("", root)])]
    while pending:
        path, part = next(pending[-1], (None, None))
        if path is None:
            pending.pop()
        elif id(part) not in seen:
            seen.add(id(part))
            if _is_part(part):
                yield path, part
            pending.append(_children(path, part))


def _is_part(value: Any) -> bool:
    return hasattr(type(value), "save_own_variables")


def _children(path: str, value: Any) -> Named:
    """The parts and containers in a part or a container."""
    if _is_part(value):
        return _in_attributes(path, value)
    return _in_container(path, value.values() if isinstance(value, dict) else value)


def _in_attributes(path: str, part: Any) -> Named:
    prefix = f"{path}/" if path else ""
    names = {name for name in vars(part) if name not in _MACHINERY}
    names.update(getattr(type(part), "saved_properties", ()))
    if isinstance(part, Model):
        names.update(("layers", "optimizer"))
    layers_first = hasattr(part, "_graph") or hasattr(part, "_entry")
    for name in sorted(names, key=lambda each: _rank(each, layers_first=layers_first)):
        value = getattr(part, name, None)
        if _is_part(value) or isinstance(value, (list, tuple, dict)):
            yield f"{prefix}{name}", value


def _rank(name: str, *, layers_first: bool) -> tuple[int, str]:
    """The place of an attribute: private ones come last, the list of layers may come first."""
    return (0 if layers_first and name == "layers" else 2 if name.startswith("_") else 1), name


def _in_container(path: str, values: Iterable[Any]) -> Named:
    counts: Counter[str] = Counter()
    for value in values:
        if _is_part(value):
            name = snake_case(type(value).__name__)
        elif isinstance(value, (list, tuple, dict)):
            name = "container"
        else:
            continue
        count = counts[name]
        counts[name] += 1
        yield f"{path}/{name}_{count}" if count else f"{path}/{name}", value


_MACHINERY: Final = frozenset(
    [*vars(Layer()), "_compiled", "_entry", "_exit", "_graph", "_inputs_structure",
     "_operations", "_outputs_structure", "_results", "_symbols"]
)  # fmt: skip
"""Attributes that every layer or model has."""
