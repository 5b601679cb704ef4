"""`tf.keras.optimizers`: algorithms that follow gradients to a minimum."""

from __future__ import annotations

from typing import Any, Final

from tapelab.keras.optimizers import (
    adam,
    adaptive,
    loss_scale,
    multi_optimizer,
    schedule_free,
    schedules,
    sgd,
    trust_ratios,
)
from tapelab.keras.optimizers import optimizer as _optimizer
from tapelab.keras.serialization import deserialized, resolver, serialized
from tapelab.namespace.missing_names import in_module

Optimizer = _optimizer.Optimizer
SGD = sgd.SGD
Lion = sgd.Lion
Ftrl = adaptive.Ftrl
RMSprop = adaptive.RMSprop
Adagrad = adaptive.Adagrad
Adadelta = adaptive.Adadelta
Adam = adam.Adam
AdamW = adam.AdamW
Adamax = adam.Adamax
Nadam = adam.Nadam
Lamb = trust_ratios.Lamb
Adafactor = trust_ratios.Adafactor
Muon = trust_ratios.Muon
ScheduleFreeAdamW = schedule_free.ScheduleFreeAdamW
MultiOptimizer = multi_optimizer.MultiOptimizer
OptimizerMap = multi_optimizer.OptimizerMap
LossScaleOptimizer = loss_scale.LossScaleOptimizer

_CLASSES: Final = {
    each.__name__: each
    for each in (
        *(SGD, Lion, Ftrl, RMSprop, Adagrad, Adadelta, Adam, AdamW, Adamax, Nadam),
        *(Lamb, Adafactor, Muon, ScheduleFreeAdamW, LossScaleOptimizer, MultiOptimizer),
    )
}
_named = resolver(
    "optimizer", {**_CLASSES, **{name.lower(): each for name, each in _CLASSES.items()}}
)


def get(identifier: Any) -> Any:
    """Return the optimizer of a name or a config; an optimizer is returned itself."""
    if isinstance(identifier, type):
        raise ValueError(
            f"Could not interpret optimizer identifier: {identifier}. This is the class; call it "
            "to make an optimizer."
        )
    return identifier if isinstance(identifier, Optimizer) else _named(identifier)


serialize = serialized


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Return the optimizer that `serialize` described."""
    return deserialized(config, {**_CLASSES, **(custom_objects or {})})


__all__ = ["Optimizer", "deserialize", "get", "schedules", "serialize", *_CLASSES]  # noqa: PLE0604 - they are names
__getattr__, __dir__ = in_module(__name__)
