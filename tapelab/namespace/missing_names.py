"""Names that are not there: the nearest one that is, instead of a bare AttributeError."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

from tapelab.namespace.lazy_symbols import LAZY_PARTS, MODULES, load

PARTS: Final = ("", "math", "linalg", *MODULES)
"""The modules of the namespace; the first is the namespace itself."""
PUBLIC_HOMES: Final = {
    "tapelab",
    "tapelab.array_ops.creation",
    "tapelab.array_ops.gather_ops",
    "tapelab.array_ops.shape_ops",
    "tapelab.array_ops.sort_ops",
    "tapelab.array_ops.value_ops",
    "tapelab.data.dataset",
    "tapelab.data.dataset_sources",
    "tapelab.data.iterators",
    "tapelab.keras.dtype_policies",
    "tapelab.keras.loss",
    "tapelab.keras.losses",
    "tapelab.keras.metrics.confusion_metrics",
    "tapelab.keras.metrics.correlation_metrics",
    "tapelab.keras.metrics.function_metrics",
    "tapelab.keras.metrics.metric",
    "tapelab.keras.metrics.region_metrics",
    "tapelab.keras.metrics.score_metrics",
    "tapelab.keras.metrics.threshold_metrics",
    "tapelab.keras.optimizers.adam",
    "tapelab.keras.optimizers.adaptive",
    "tapelab.keras.optimizers.loss_scale",
    "tapelab.keras.optimizers.sgd",
    "tapelab.keras.optimizers.optimizer",
    "tapelab.keras.optimizers.schedule_free",
    "tapelab.keras.optimizers.trust_ratios",
    "tapelab.linalg",
    "tapelab.ops.composites",
    "tapelab.ragged.dynamic_shape",
    "tapelab.ragged.ragged_conversion",
    "tapelab.ragged.ragged_elementwise",
    "tapelab.ragged.ragged_gather_ops",
    "tapelab.ragged.ragged_shape_ops",
    "tapelab.ragged.row_partition",
    "tapelab.ragged.segment_ids",
    "tapelab.random.generator",
    "tapelab.signal.frames",
    "tapelab.signal.mel_scale",
    "tapelab.signal.transforms",
    "tapelab.signal.window_functions",
}
"""Where public functions are defined that other modules of the namespace offer as well."""
ELSEWHERE: Final = {
    "arange": "range",
    "array": "constant",
    "concatenate": "concat",
    "div": "divide",
    "dot": "tensordot",
    "max": "reduce_max",
    "mean": "reduce_mean",
    "min": "reduce_min",
    "mul": "multiply",
    "neg": "negative",
    "placeholder": "Variable",
    "power": "pow",
    "prod": "reduce_prod",
    "sub": "subtract",
    "sum": "reduce_sum",
}
"""Names from NumPy and from older TensorFlow."""


def missing(module: str, name: str) -> AttributeError:
    """The error for a name that a module of the namespace does not have."""
    if name.startswith("_") or _is_part(module, name):  # asked by machinery, wants no advice
        return AttributeError(f"module '{module}' has no attribute '{name}'", name=name)
    return AttributeError(
        f"module '{module}' has no attribute '{name}': tapelab has the part of TensorFlow that is "
        f"taught with a tape, and this is not in it.{_advice(module, name)}",
        name=name,
        obj=sys.modules.get(module),
    )


def _is_part(module: str, name: str) -> bool:
    """Whether there is a module of this name, about to be imported: `from tapelab import nn`."""
    package = hasattr(sys.modules.get(module), "__path__")
    return package and find_spec(f"{module}.{name}") is not None


def in_module(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A `__getattr__` and a `__dir__` for a module of the namespace.

    Names that `lazy.LAZY_PARTS` lists for it are imported when they are first asked for.
    """
    lazy = LAZY_PARTS.get(module, {})

    def find(name: str) -> Any:
        if name not in lazy:
            raise missing(module, name)
        symbol = load(lazy[name])
        setattr(sys.modules[module], name, symbol)
        return symbol

    def offered() -> list[str]:
        there = {name for name, member in _members(module) if _is_public(name, member, module)}
        return sorted(there | set(lazy))

    return find, offered


def _members(module: str) -> list[tuple[str, Any]]:
    return sorted(vars(sys.modules[module]).items())


def _is_public(name: str, member: Any, module: str) -> bool:
    """Whether a name is for learners, and not a helper that stands in the same module."""
    home = getattr(member, "__module__", None) or ""
    own = f"{home}.".startswith(f"{module}.")  # in the module, or within the package that it is
    return not name.startswith("_") and (own or home in PUBLIC_HOMES)


def _advice(module: str, name: str) -> str:
    """The nearest name: in the module itself if it is a part of a part, else anywhere."""
    from difflib import get_close_matches  # no one misses a name at the start

    part = module.partition(".")[2]
    if "." in part:
        close = get_close_matches(name, dir(sys.modules[module]), n=1, cutoff=0.7)
        if close:
            return f" The nearest is tf.{part}.{close[0]}."
    there = dict(_public_names())
    nearest = there.get(ELSEWHERE.get(name, name))
    if nearest is None:
        close = get_close_matches(name, there, n=1, cutoff=0.7)
        nearest = there[close[0]] if close else None
    return f" The nearest is tf.{nearest}." if nearest else ""


def _public_names() -> Iterator[tuple[str, str]]:
    """Each public name with its place, the outermost place last, so that it wins."""
    for part in reversed(PARTS):
        module = import_module(f"tapelab.{part}" if part else "tapelab")
        for name in dir(module):
            if not name.startswith("_") and not isinstance(vars(module).get(name), ModuleType):
                yield name, f"{part}.{name}" if part else name
