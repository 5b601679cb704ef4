"""`tf.gradients` and `tf.hessians`, which belong to graphs: eager code is advised to use a tape."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from tapelab.core.dispatch import public

MESSAGE: Final = (
    "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
)


@public
def gradients(
    ys: Any, xs: Any, grad_ys: Any = None, name: str = "gradients", gate_gradients: bool = False,
    aggregation_method: Any = None, stop_gradients: Any = None, unconnected_gradients: Any = None,
) -> NoReturn:  # fmt: skip
    """RuntimeError: outside of a graph the question is put to a tape."""
    raise RuntimeError(f"{MESSAGE} with tf.GradientTape() as tape: …; tape.gradient(ys, xs).")


@public
def hessians(
    ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None,
    name: str = "hessians",
) -> NoReturn:  # fmt: skip
    """RuntimeError: outside of a graph a Hessian is the jacobian of a gradient."""
    raise RuntimeError(f"{MESSAGE} A Hessian is tape.jacobian of an inner tape's gradient.")
