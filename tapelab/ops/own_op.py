"""Ops that users declare: the same declaration as that of an op of tapelab, callable like one.

An own op is an `Op` behind a public function. The function converts its arguments (variables,
numbers and lists become tensors), so a gradient reaches a variable that is passed as it is, and the
interpreters of `tf.function` and of ragged tensors carry it out like every other function. The op
is not registered: its name may be that of an op of tapelab, and declaring it again, as when a cell
runs twice, makes another op.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tapelab import nest
from tapelab.core.dispatch import public
from tapelab.core.op import make_op
from tapelab.core.op_declaration import Op
from tapelab.core.tensor import Tensor, constant_of
from tapelab.ops.public import matched

if TYPE_CHECKING:
    from tapelab.recording.op_facts import OpFacts

Kernel = Callable[..., Any]
Rule = TypeVar("Rule", bound=Callable[..., Any])


class OwnOp:
    """An op that was declared with `tapelab.extend.op`: call it, and declare its gradient rules."""

    def __init__(self, declared: Op, *, elementwise: bool) -> None:
        @wraps(declared.kernel)
        def run(*inputs: Any, **settings: Any) -> Any:
            return declared(*matched(*inputs), **declared.defaults | settings)

        self._op = declared
        self._run = public(elementwise=elementwise)(run)
        update_wrapper(self, declared.kernel)

    def __call__(self, *inputs: Any, **settings: Any) -> Any:
        """The result as a tensor, or a tuple of the results; settings are keywords.

        Inputs are tensors, variables, NumPy arrays, numbers or lists. What is no tensor takes the
        dtype of the first one that is.
        """
        op = self._op
        if len(inputs) != len(op.inputs) and not op.variadic:
            raise TypeError(
                f"{op.name}() takes {len(op.inputs)} positional arguments "
                f"({', '.join(op.inputs)}), but it got {len(inputs)}."
            )
        return self._run(*inputs, **settings)

    def grad(self, name: str, formula: str = "", *, local: str = "") -> Callable[[Rule], Rule]:
        """Declare the gradient rule of the input called `name`: `rule(dy, y, *inputs, **settings)`.

        The rule takes tensors and returns dy times the derivative of y with respect to the input.
        Write it with operators, functions of tapelab and own ops, and it can be differentiated
        again. `formula` is LaTeX; the first sentence of its docstring explains it. Give `local`,
        the derivative of one element as LaTeX, where each element of y depends on one element of
        the input alone.
        """

        def declare(rule: Rule) -> Rule:
            self._op.grad(name, formula, local=local)(_on_tensors(rule))
            return rule

        return declare

    def grads(self, **formulas: str) -> Callable[[Rule], Rule]:
        """Declare one rule for several inputs, with a formula for each.

        The rule takes what a rule of `grad` takes and returns one gradient for each input.
        """

        def declare(rule: Rule) -> Rule:
            self._op.grads(formulas)(_on_tensors(rule))
            return rule

        return declare

    def no_grad(self, *names: str, because: str) -> None:
        """Declare that no gradient reaches some inputs; `tf.explain` gives the reason."""
        self._op.no_grad(*names, because=because)

    def facts(self) -> OpFacts:
        """What recordings and figures say of this op: its names, formulas and sentences."""
        return self._op.facts()

    def __repr__(self) -> str:
        return repr(self._op)


def _on_tensors(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule that takes tensors, for a backward pass that may hand it raw arrays."""

    @wraps(rule)
    def vjp(dy: Any, y: Any, *inputs: Any, **settings: Any) -> Any:
        given = nest.flatten((dy, y, inputs))
        gradient = rule(*nest.map_structure(_tensor, (dy, y)), *map(_tensor, inputs), **settings)
        if not all(isinstance(each, _RAW) for each in given):
            return gradient
        return nest.map_structure(_array, gradient)

    return vjp


_RAW = (np.ndarray, np.generic)


def _tensor(value: Any) -> Any:
    return constant_of(value) if isinstance(value, _RAW) else value


def _array(gradient: Any) -> Any:
    return gradient._array if isinstance(gradient, Tensor) else gradient


def op(
    *, formula: str = "", glyph: str = "", title: str = "", name: str = "", output: str = "",
    elementwise: bool = False, broadcasts: bool = False, multi: bool = False,
) -> Callable[[Kernel], OwnOp]:  # fmt: skip
    r"""Declare an op of your own: a kernel on NumPy arrays, and one gradient rule for each input.

    Positional parameters of the kernel are inputs, keyword-only ones are settings. The first
    sentence of its docstring says in every figure what it does.

        import numpy as np
        import tapelab as tf
        from tapelab.extend import op

        @op(formula=r"y = \ln(1 + x^2)", glyph="ln1p²", elementwise=True)
        def log_square(x):
            "The logarithm of 1 + x², which gives large elements little weight."
            return np.log1p(x * x)

        @log_square.grad("x", r"\bar x = \bar y \frac{2x}{1 + x^2}", local=r"\frac{2x}{1 + x^2}")
        def log_square_grad_x(dy, y, x):
            "The derivative is largest at 1."
            return dy * (2.0 * x / (1.0 + x * x))

        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = log_square(x)
        print(tape.gradient(y, x).numpy())  # 0.8

    `formula` is LaTeX in the letters of the inputs and of `output` (by default its left side).
    `glyph` is what a node of the graph shows, `title` its long name; both default to the name of
    the kernel, as `name` does. `elementwise`: ragged tensors map it over their values.
    `broadcasts`: the kernel broadcasts its inputs, so gradients are summed to their shapes.
    `multi`: the kernel returns a tuple of several results. The op has the VJP rules you declare;
    forward mode, Jacobians and second derivatives come from them.
    """
    given = {"formula": formula, "glyph": glyph, "title": title, "name": name, "output": output}
    facts = {key: value for key, value in given.items() if value}

    def declare(kernel: Kernel) -> OwnOp:
        declared = make_op(kernel, {**facts, "broadcasts": broadcasts, "multi": multi})
        if not declared.inputs:
            raise TypeError(
                f"{declared.name}() has no input. The positional parameters of a kernel are its "
                "inputs: write at least one before the settings."
            )
        return OwnOp(declared, elementwise=elementwise)

    return declare
