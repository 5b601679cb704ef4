"""The shape cache of a trace: the results of calls of a kind that was evaluated before.

Evaluating a call in both environments shows what it returns. A function of floats of known shapes,
such as `x * 1.5` or `tf.tanh(x)`, returns the same shape and dtype each time, so a long function
evaluates each kind of call once. While a tape is open every call is evaluated, because the tapes of
the environments have to record it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tapelab.compile.call_graph import base_name
from tapelab.compile.pytree import Tree
from tapelab.compile.symbolic import OpenTrace, SymbolicTensor
from tapelab.core.origin import Origin, next_id
from tapelab.core.records import OP_RUNS, as_op_run, kind_of
from tapelab.core.tensor import Tensor, wrap


@dataclass(frozen=True)
class CachedCall:
    """What calls of one kind return: the name of the node, and a value in each environment."""

    base: str
    kind: str
    values: tuple[Any, ...]

    def examples(self, origin: Origin) -> tuple[Tensor, ...]:
        """New example tensors for the result of one more such call."""
        return tuple([wrap(value, next_id(), origin) for value in self.values])


@dataclass
class ShapeCache:
    """The calls that one trace has evaluated so far, by their kind."""

    known: dict[Any, CachedCall] = field(default_factory=dict)

    def key(self, trace: OpenTrace, function: Callable[..., Any], args: Tree) -> Any:
        """What a call has in common with others of its kind; None for one that must be tried."""
        if type(args) is not tuple or any(
            environment.taped() for environment in trace.environments
        ):
            return None
        key: list[Any] = [function]
        symbolic = False
        for each in args:
            if type(each) is SymbolicTensor:
                first, second = (example._array for example in each._examples)
                known = first.shape == second.shape and each._narrowed is None
                if each._trace is not trace or not known or first.dtype.kind != "f":
                    return None
                symbolic = True
                key += (first.shape, first.dtype)
            elif type(each) is float or type(each) is int:
                key += (type(each), each)
            else:
                return None
        return tuple(key) if symbolic else None

    def learn(self, key: Tree, trace: OpenTrace, args: Tree, result: Any, last: str) -> None:
        """Remember what a call returned that was tried out: one op's result, of one kind."""
        if type(result) is not SymbolicTensor:
            return
        first, second = (each._array for each in result._examples)
        alike = first.shape == second.shape and first.dtype == second.dtype
        symbols = [each for each in args if type(each) is SymbolicTensor]
        if alike and first.dtype.kind == "f" and all(
            _made_at_once(environment.last_record(), result._examples[at], symbols, at)
            for at, environment in enumerate(trace.environments)
        ):  # fmt: skip
            base = base_name(key[0], {}, last)
            self.known[key] = CachedCall(base, last or base, (first, second))


def _made_at_once(record: Any, result: Tensor, args: list[SymbolicTensor], at: int) -> bool:
    """Whether the last op of an environment made a result from the arguments themselves."""
    if record is None or kind_of(record) not in OP_RUNS:
        return False
    run, ids = as_op_run(record), {each._examples[at]._id for each in args}
    return run.result_ids == result._id and ids <= set(run.input_ids)
