"""Subgraphs at replay: branches and loop bodies, and the nodes that choose and repeat them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from tapelab.compile.abstract_evaluation import is_eager
from tapelab.compile.call_graph import Graph
from tapelab.compile.execution import Execution, is_unobserved
from tapelab.compile.pytree import Bundle, Leaf, Tree, leaves
from tapelab.compile.replay import Replay
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.errors import invalid_argument


class Subgraph(Bundle):
    """A branch or a loop's body inside a graph, with the outer tensors that it uses."""

    def __init__(
        self, graph: Graph, captures: Sequence[Any], execution: Execution | None = None
    ) -> None:
        self.graph = graph
        self._captures = captures
        self.execution = execution or Execution()

    def _parts(self) -> Sequence[Any]:
        """The outer tensors that it uses."""
        return self._captures

    def _with_parts(self, parts: Sequence[Any]) -> Self:
        """The same routine with other outer tensors."""
        return type(self)(self.graph, parts, self.execution)

    def __call__(self, *inputs: Tree) -> Any:
        """Run it on real tensors."""
        flat = [leaf for leaf in leaves(inputs) if is_eager(leaf)]
        replay = Replay(self.graph, within=True)
        if not is_unobserved() or replay.other_variables:
            return replay.run(flat, self._captures)

        def again(given: Sequence[Any]) -> Any:
            return replay.run(given[: len(flat)], given[len(flat) :])

        return self.execution.run(self.graph, again, [*flat, *self._captures], ())


@public(group=True, effect="control")
def choose(pred: Leaf, true_fn: Subgraph, false_fn: Subgraph) -> Any:
    """Run the branch that a truth value picks."""
    return true_fn() if bool(pred._value) else false_fn()


@public(group=True, effect="control")
def choose_number(index: Leaf, branches: list[Subgraph]) -> Any:
    """Run the branch of a number; the last one if there is none of that number."""
    number = int(index._value)
    return branches[number if 0 <= number < len(branches) else -1]()


@public(group=True, effect="control")
def loop(
    test: Subgraph, body: Subgraph, variables: Tree, most: Leaf, first_in_body: tuple[str, ...] = ()
) -> Any:
    """Run a body again and again while a test holds."""
    limit = None if most is None else int(to_tensor(most)._value)
    rounds = 0
    while (limit is None or rounds < limit) and bool(test(*variables)._value):
        variables = body(*variables)
        rounds += 1
    _require_a_round(rounds, first_in_body)
    return tuple(variables)


@public(group=True, effect="control")
def each_item(
    items: Tree, body: Subgraph, variables: Tree, test: Subgraph | None,
    first_in_body: tuple[str, ...] = (),
) -> Any:  # fmt: skip
    """Run a body once per row of a tensor, or per element of a dataset."""
    rounds = 0
    for item in _rows(items):
        if test is not None and not bool(test(*variables)._value):
            break
        variables = body(*leaves(item), *variables)
        rounds += 1
    _require_a_round(rounds, first_in_body)
    return tuple(variables)


def _require_a_round(rounds: int, names: tuple[str, ...]) -> None:
    """InvalidArgumentError where a loop that gives names their first values has not run."""
    if names and not rounds:
        raise invalid_argument(
            "Assert",
            f"assertion failed: [loop must iterate at least once to initialize {', '.join(names)}]",
        )


@public(group=True, effect="control")
def first_value(shape: tuple[int, ...], dtype: Any) -> Tensor:
    """Zeros in the place of a loop variable that gets its first value in the body of its loop."""
    return constant_of(np.zeros(shape, dtype)[()])


def _rows(items: Tree) -> Any:
    """The items of a loop; rows of integers need no history that a tape could follow."""
    if isinstance(items, Tensor) and items._array.ndim and items._array.dtype.kind in "iub":
        return map(constant_of, items._value)
    return items
