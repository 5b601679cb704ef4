"""Liveness of names at loops: whose values matter when a round of a loop begins or the loop ends.

A loop of a graph carries values from round to round and out of the loop. A name that every round
binds before it reads it, and that is not read behind the loop, is not carried. The analysis visits
the statements of one function in reverse. It errs in one direction only: a name of which it cannot
be sure (in a closure, a `try`, a `match`, behind a jump) counts as live.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final

Loop = ast.For | ast.While
_CLOSURES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
_EMPTY: Final[frozenset[str]] = frozenset()


def live_names(body: list[ast.stmt]) -> dict[Loop, frozenset[str]]:
    """For each loop in the body of a function, the names that are live at its boundary."""
    analysis = _Analysis(body)
    analysis.before(body, _EMPTY)
    return analysis.live


class _Analysis:
    def __init__(self, body: list[ast.stmt]) -> None:
        self.live: dict[Loop, frozenset[str]] = {}
        closures = [node for each in body for node in ast.walk(each) if isinstance(node, _CLOSURES)]
        outer = [name for each in closures for node in ast.walk(each)
                 if isinstance(node, ast.Nonlocal) for name in node.names]  # fmt: skip
        self._captured = _reads(closures).union(outer)
        self._around = _EMPTY  # what is live where a `break` or a `continue` may lead

    def before(self, body: list[ast.stmt], after: frozenset[str]) -> frozenset[str]:
        """The names that are live before some statements, given those that are live after them."""
        for statement in reversed(body):
            after = self._before_one(statement, after)
        return after

    def _before_one(self, statement: ast.stmt, after: frozenset[str]) -> frozenset[str]:
        match statement:
            case ast.If():
                either = self.before(statement.body, after) | self.before(statement.orelse, after)
                return either | _reads([statement.test])
            case ast.For() | ast.While():
                return self._before_loop(statement, after)
            case ast.With():
                return self.before(statement.body, after) | _reads(statement.items)
            case ast.Assign() | ast.AnnAssign(value=ast.expr()):
                return (after - _binds(statement)) | _reads([statement])
            case ast.Break() | ast.Continue():
                return after | self._around
        after |= _reads([statement])
        for block in _blocks(statement):
            self.before(block, after)
        return after

    def _before_loop(self, loop: Loop, after: frozenset[str]) -> frozenset[str]:
        test = loop.test if isinstance(loop, ast.While) else None
        target = _binds(loop.target) if isinstance(loop, ast.For) else _EMPTY
        boundary = self.before(loop.orelse, after) | after | self._captured
        boundary |= _reads([test] if test else [])
        outer = self._around
        for _ in range(2):  # what a round reads, and what it leaves for the next one
            self._around = outer | boundary
            boundary |= self.before(loop.body, boundary) - target
        self._around = outer
        self.live[loop] = boundary
        return boundary | _reads([loop.iter] if isinstance(loop, ast.For) else [])


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks inside a statement such as `try` or `match`, of which any may run."""
    if isinstance(statement, ast.Match):
        return [case.body for case in statement.cases]
    if isinstance(statement, ast.Try):
        handlers = [handler.body for handler in statement.handlers]
        return [statement.body, *handlers, statement.orelse, statement.finalbody]
    return []


def _reads(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names of the function that are read, deleted or changed in place within some nodes."""
    return frozenset(name for each in nodes for name in _read_in(each, _EMPTY))


def _read_in(node: ast.AST, own: frozenset[str]) -> Iterator[str]:
    """The names that a node reads, but for the `own` ones of lambdas and comprehensions around."""
    match node:
        case ast.Lambda():
            for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
                yield from _read_in(default, own)
            own |= {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            yield from _read_in(node.generators[0].iter, own)
            own |= frozenset().union(*(_binds(each.target) for each in node.generators))
        case ast.Name() if not isinstance(node.ctx, ast.Store) and node.id not in own:
            yield node.id
        case ast.AugAssign(target=ast.Name(id=name)):
            yield name
    for child in ast.iter_child_nodes(node):
        yield from _read_in(child, own)


def _binds(node: ast.AST) -> frozenset[str]:
    """The names that an assignment or the target of a loop always binds."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
    return frozenset(
        inner.id
        for each in targets
        for inner in ast.walk(each)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    )
