"""`tf.recompute_grad`: less memory for more work."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from tapelab import nest
from tapelab.autodiff.gradient_overrides import CustomGradient, in_form, is_moving, numbers
from tapelab.core import custom_op
from tapelab.core.composite_tensor import numbers_of
from tapelab.core.host_values import compute_on_host
from tapelab.core.tape import GradientTape, UnconnectedGradients
from tapelab.core.tensor import constant_of
from tapelab.ops.pass_through import identity

Function = Callable[..., Any]


def recompute_grad(f: Function) -> Any:
    """Let a function forget what it computed on the way, and run again when its gradient is asked.

    The gradients are the same; the tape holds the arguments and the result only. As in TensorFlow,
    they can be differentiated again with respect to the arguments alone, and not in the graph of a
    traced function.
    """

    def recomputed(*args: Any, **kwargs: Any) -> Any:
        with custom_op.tapes_paused():
            result = f(*args, **kwargs)
        eager = custom_op.is_eager()

        def grad_fn(*upstream: Any, variables: Any = None) -> Any:
            flat = nest.flatten(args)
            again = CustomGradient(_run_again(f, args, kwargs, variables))
            # In a graph no tape has a path of its own to the arguments, so that all of it is asked.
            flow = iter(again(*upstream) if eager else again(*upstream, *flat))
            flat_gradients = [next(flow) if is_moving(each) else None for each in flat]
            gradients = nest.pack_sequence_as(args, flat_gradients)
            return (gradients, list(flow)) if variables else gradients

        return result, grad_fn

    return CustomGradient(update_wrapper(recomputed, f))


def _run_again(f: Function, args: Any, kwargs: Any, variables: Any) -> Function:
    """The gradients of `f` by running it again, as a function of the upstream gradients.

    Active tapes record the run: there an outer tape finds the second derivatives with respect to
    the arguments. With respect to the upstream gradients there are none.
    """

    def gradients(*upstream: Any) -> Any:
        with GradientTape() as tape:
            copies = [_copy(each) if is_moving(each) else each for each in nest.flatten(args)]
            sources = list(filter(is_moving, copies))
            tape.watch(sources)
            result = nest.flatten(f(*nest.pack_sequence_as(args, copies), **kwargs))
        sources += variables or ()
        ends = numbers_of(result), numbers_of(sources), numbers_of(upstream[: len(result)])
        return tape.gradient(*ends, UnconnectedGradients.ZERO), _refuse(f)

    return update_wrapper(gradients, f)


def _copy(argument: Any) -> Any:
    """The same values as a tensor of its own, with a history where an active tape follows them."""
    x = numbers(argument)
    has_history = not x.ndim or (custom_op.is_eager() and custom_op.are_followed([x]))
    return in_form(argument, identity(x) if has_history else constant_of(compute_on_host(_same, x)))


def _same(array: Any) -> Any:
    """The same numbers as an array of its own, so that nothing is known yet of what they lead to.

    A compiled function forgets what it computed from the other one, and computes it once more.
    """
    return array.view()


def _refuse(f: Function) -> Function:
    def refuse(*upstream: Any, variables: Any = None) -> Any:
        raise NotImplementedError(
            f"recompute_grad tried to transpose grad of {f.__name__}. Consider not using "
            "recompute_grad in forward mode autodiff, nor where a second order is asked for."
        )

    return refuse
