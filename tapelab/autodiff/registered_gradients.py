"""Gradients that a learner registers for an op that has none."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tapelab.core.custom_op import as_cotangent, as_tensor
from tapelab.core.op import REGISTRY
from tapelab.core.op_declaration import REGISTERED, GradRule
from tapelab.dtypes import BY_NUMPY
from tapelab.errors import InternalError, invalid_argument
from tapelab.recording.facts import Rule


@dataclass(frozen=True)
class RanOp:
    """An op as a registered gradient sees it: what went in, what came out, its settings."""

    type: str
    inputs: tuple[Any, ...]
    outputs: list[Any]
    attrs: dict[str, Any] = field(default_factory=dict)

    def get_attr(self, name: str) -> Any:
        """A setting of the op, or `T`, the dtype of its first input."""
        if name not in self.attrs:
            raise invalid_argument(
                self.type, f"Attribute '{name}' does not exist for this operation, only "
                f"{', '.join(self.attrs)}",
            )  # fmt: skip
        return self.attrs[name]


class RegisterGradient:
    """Decorate the gradient function of an op that has none: `@tf.RegisterGradient("Name")`.

    It takes the op, with `inputs`, `outputs` and `get_attr`, and one upstream gradient per output,
    and returns one gradient, or None, per input.
    """

    def __init__(self, op_type: str) -> None:
        _check_name(op_type)
        self._type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Register the function; KeyError if the op has a gradient already."""
        said = (inspect.getdoc(f) or "").split("\n\n")[0].replace("\n", " ")
        facts = Rule(
            formula=r"\bar x = \operatorname{registered gradient}(\bar y)",
            sentence=said or f"The gradient that was registered for {self._type}.",
        )
        _register(self._type, GradRule(_as_rule(self._type, f), facts))
        return f


def no_gradient(op_type: str) -> None:
    """Declare that an op has no gradient: asking for one gives None and no error."""
    _check_name(op_type)
    because = f"tf.no_gradient({op_type!r}) declares that no gradient passes through it."
    _register(op_type, GradRule(None, Rule(because=because)))


def _check_name(op_type: Any) -> None:
    if not isinstance(op_type, str):
        raise TypeError(f"op_type must be a string, such as 'AdjustContrastv2', not {op_type!r}")


def _register(op_type: str, rule: GradRule) -> None:
    if op_type in REGISTERED or any(op.rules and op.raw == op_type for op in REGISTRY.values()):
        raise KeyError(
            f"Registering two gradient with name {op_type!r}! (Previous registration was in "
            f"{'this program' if op_type in REGISTERED else 'tapelab'}. To give a function a "
            "gradient of your own, try tf.custom_gradient.)"
        )
    REGISTERED[op_type] = rule


def _as_rule(op_type: str, f: Callable[..., Any]) -> Callable[..., Any]:
    """A joint rule, as ops declare it, that shows the learner's function tensors."""

    def registered(dy: Any, y: Any, *inputs: Any, **settings: Any) -> list[Any]:
        given = tuple(map(as_tensor, inputs))
        attrs = {"T": BY_NUMPY[given[0]._array.dtype], **settings} if given else settings
        ran = RanOp(op_type, given, [as_tensor(each) for each in _several(y)], attrs)
        returned = f(ran, *[as_tensor(each) for each in _several(dy)])
        gradients = list(returned) if isinstance(returned, (list, tuple)) else [returned]
        if len(gradients) < len(given):
            raise InternalError(
                None, None, f"Recorded operation '{op_type}' returned too few gradients. Expected "
                f"{len(given)} but received {len(gradients)}. Return one per input, or None.",
            )  # fmt: skip
        return [as_cotangent(each, x) for each, x in zip(gradients, given, strict=False)]

    return registered


def _several(values: Any) -> tuple[Any, ...]:
    return values if type(values) is tuple else (values,)
