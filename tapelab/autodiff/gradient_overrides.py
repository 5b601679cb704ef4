"""Gradients that a learner writes: in place of a function's own, or for an op that has none."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from tapelab import nest
from tapelab.core import custom_op
from tapelab.core.cell import Cell, Holder
from tapelab.core.composite_tensor import CompositeTensor
from tapelab.core.dispatch import public
from tapelab.core.log import origin_here
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable, handle_of, read
from tapelab.errors import MisusedError, Refusal
from tapelab.ops.pass_through import identity
from tapelab.ops.public import tensor

Function = Callable[..., Any]


def custom_gradient(f: Function | None = None) -> Any:
    """Let a function that returns `(result, grad_fn)` be differentiated by its `grad_fn`.

    `grad_fn` takes one upstream gradient per result and returns one gradient, or None, per argument
    of `f`. If `f` reads variables it takes `variables=` as well, and returns a second list, one
    gradient per variable.
    """
    return custom_gradient if f is None else CustomGradient(f)


class CustomGradient:
    """A function whose gradient is a function of its own; it also works as a method."""

    __name__: str

    def __init__(self, f: Function) -> None:
        self._f = f
        update_wrapper(self, f)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else CustomGradient(self._f.__get__(instance, owner))

    @public
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function, and write it down as one step with a gradient of its own."""
        name, used = getattr(self._f, "__name__", "function"), dict[int, Cell]()
        with custom_op.body(name), custom_op.collected_reads(used):
            result, grad_fn = self._f(*args, **kwargs)
        given = nest.flatten(args)
        own = {each._cell.identity.id for each in (*given, *nest.flatten(kwargs)) if _holds(each)}
        variables = [handle_of(cell) for number, cell in used.items() if number not in own]
        _check_takes_variables(name, grad_fn, variables)
        forms = nest.flatten(result)
        results = [numbers(each) for each in forms]
        places = [at for at, each in enumerate(given) if is_moving(each)]
        inputs = [numbers(given[at]) for at in places] + [read(each) for each in variables]
        if (
            custom_op.is_eager()
            and custom_op.are_followed(results)
            and not custom_op.are_followed(inputs)
        ):
            # No tape asks the gradient function, but some reach the results by another path.
            results = [identity(each) for each in results]
        elif inputs and results:
            names = names_of(self._f, args, places, variables)
            op = custom_op.declare(name, _sentence(self._f), names, many=len(results) > 1)
            back = _way_back(grad_fn, len(given), forms, places, variables)
            results = custom_op.record(op, inputs, results, back)
        return nest.pack_sequence_as(result, map(in_form, forms, results))


def _holds(value: Any) -> bool:
    return isinstance(value, Holder)


def is_moving(argument: Any) -> bool:
    """Whether an argument is made of tensors, so that a gradient may flow to it."""
    return isinstance(argument, (Tensor, Holder, CompositeTensor))


def numbers(value: Any) -> Tensor:
    """The tensor that carries the numbers of a value."""
    carrier: Tensor = value._as_end() if isinstance(value, CompositeTensor) else tensor(value)
    return carrier


def in_form(form: Any, carried: Any) -> Any:
    """A composite of the form of another around a tensor; the tensor itself for any other form."""
    return form._like(carried) if isinstance(form, CompositeTensor) else carried


def _sentence(f: Function) -> str:
    said = (inspect.getdoc(f) or "").split("\n\n")[0].replace("\n", " ")
    return said or "A function whose gradient is written by hand, in place of that of its body."


def _check_takes_variables(name: str, grad_fn: Any, variables: list[Variable]) -> None:
    if not callable(grad_fn):
        raise TypeError(
            f"unsupported callable: @tf.custom_gradient functions return (result, grad_fn), but "
            f"grad_fn is {grad_fn!r}."
        )
    takes = inspect.getfullargspec(grad_fn)
    if variables and not ("variables" in (*takes.args, *takes.kwonlyargs) or takes.varkw):
        names = tuple(variable.name.partition(":")[0] for variable in variables)
        raise MisusedError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function "
            f"uses variables: {variables}. Let it be grad_fn(upstream, variables=None) and return "
            "(gradients of the arguments, gradients of the variables).",
            Refusal(
                "VARIABLES_KEYWORD_MISSING", origin_here(),
                details={"function": name, "variables": names},
            ),
        )  # fmt: skip


def names_of(
    f: Function, args: Any, places: list[int], variables: list[Variable]
) -> tuple[str, ...]:
    """A name for every input of the step: its parameter's, or its variable's."""
    try:
        bound = inspect.signature(f).bind(*args).arguments
    except (TypeError, ValueError):
        bound = {f"x{at}": each for at, each in enumerate(args)}
    names: list[str] = []
    for parameter, value in bound.items():
        atoms = len(nest.flatten(value))
        names += [parameter] if atoms == 1 else [f"{parameter}{at}" for at in range(atoms)]
    called = [names[at] if at < len(names) else f"x{at}" for at in places]
    for number, variable in enumerate(variables):
        own = variable.name.rpartition("/")[2].partition(":")[0]
        called.append(own if own not in {*called, "Variable"} else f"v{number}")
    return tuple(called)


def _way_back(
    grad_fn: Function, count: int, forms: list[Any], places: list[int], variables: list[Variable]
) -> custom_op.VJP:
    """From the upstream gradients to those of the step's inputs, checked as TensorFlow checks."""

    def back(*seeds: Any) -> list[Any]:
        upstream = map(in_form, forms, seeds)
        if variables:
            returned, of_variables = grad_fn(*upstream, variables=variables)
            if len(of_variables) != len(variables):
                raise ValueError(
                    "Must return gradient for each variable from @custom_gradient grad_fn. It uses "
                    f"{len(variables)} and returned {len(of_variables)}."
                )
        else:
            returned, of_variables = grad_fn(*upstream), ()
        gradients = nest.flatten(returned)
        if len(gradients) != count:
            raise ValueError(
                f"custom_gradient function expected to return {count} gradients, but returned "
                f"{len(gradients)} instead. Return one per argument, or None for an argument that "
                "has no gradient."
            )
        return [
            each._numbers() if isinstance(each, CompositeTensor) else each
            for each in (*(gradients[at] for at in places), *of_variables)
        ]

    return back


def grad_pass_through(f: Function) -> Any:
    """Let the gradient pass by a function as if it handed its argument on unchanged."""

    def straight_through(*args: Any, **kwargs: Any) -> Any:
        def grad_fn(*upstream: Any, variables: Any = None) -> Any:
            return (upstream, [None] * len(variables)) if variables else upstream

        return f(*args, **kwargs), grad_fn

    return CustomGradient(update_wrapper(straight_through, f))
