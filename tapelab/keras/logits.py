"""The logits behind probabilities: what the softmax or the sigmoid of a layer was computed from.

Keras computes a cross entropy from these logits, as if the loss had been asked for them: a
prediction of exactly 0 or 1 then still has a gradient. Only the tensor that the activation returned
has logits, no result of another op on it.
"""

from __future__ import annotations

import warnings
import weakref
from typing import Any, Final

from tapelab.core.log import thread


class _Probabilities(weakref.ref[Any]):
    """A reference to a tensor, which takes its logits with it when the tensor goes."""

    __slots__ = ("number",)
    number: int


_logits: Final[dict[int, tuple[_Probabilities, Any]]] = {}


def remember(probabilities: Any, logits: Any) -> Any:
    """Store the logits of a tensor for its lifetime, and return the tensor."""
    reference = _Probabilities(probabilities, _forget)
    reference.number = probabilities._id
    _logits[probabilities._id] = reference, logits
    return probabilities


def _forget(reference: _Probabilities) -> None:
    _logits.pop(reference.number, None)


def scores_of(
    predicted: Any, function: str, activation: str, *, from_logits: bool
) -> tuple[Any, bool]:
    """Return the logits of predictions, or the predictions, and whether these are logits.

    In a trace the logits are the input of the `activation` op that gave the predictions, of any
    library. Warns where predictions that have logits are said to be logits themselves.
    """
    known = _logits.get(predicted._id)
    logits = _traced_input(predicted, activation) if known is None else known[1]
    if logits is None:
        return predicted, from_logits
    if from_logits:
        warnings.warn(
            f'"`{function}` received `from_logits=True`, but the `output` argument was produced '
            f"by a {activation} activation and thus does not represent logits. "
            "Was this intended?",
            stacklevel=2,
        )
    return logits, True


def _traced_input(tensor: Any, op: str) -> Any:
    """What the op of a name got that returned a tensor in the open trace; None for another op."""
    trace = thread.trace
    node = None if trace is None else trace.call_of(tensor)
    if node is None or node.kind != op:
        return None
    given = node.args[0]  # the slot of a tensor of the trace, or a variable
    return trace.symbols[given.number] if hasattr(given, "number") else given
