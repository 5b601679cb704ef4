"""Making a program that shows a difference as small as it can be while it still shows it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

Shows = Callable[[str], bool]


def shrink(text: str, shows: Shows, attempts: int = 600) -> str:
    """The smallest program found that still shows the difference."""
    best = text
    while attempts > 0:
        for candidate in smaller(best):
            attempts -= 1
            if shows(candidate):
                best = candidate
                break
            if attempts <= 0:
                break
        else:
            break
    return best


def smaller(text: str) -> Iterator[str]:
    """Programs that are a little simpler: fewer statements first, then simpler expressions."""
    tree = ast.parse(text)
    yield from _written(_without_statements(tree), text)
    yield from _written(_without_results(tree), text)
    yield from _written(_simpler_expressions(tree), text)


def _written(trees: Iterator[ast.Module], text: str) -> Iterator[str]:
    for tree in trees:
        source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        if source != text:
            yield source


def _bodies(tree: ast.AST) -> list[list[ast.stmt]]:
    blocks = ast.Module | ast.With | ast.FunctionDef | ast.ClassDef
    return [node.body for node in ast.walk(tree) if isinstance(node, blocks)]


def _without_statements(tree: ast.Module) -> Iterator[ast.Module]:
    """Each statement left out, and each block replaced by what stands in it."""
    for at, body in enumerate(_bodies(tree)):
        for place in reversed(range(len(body))):
            copy = deepcopy(tree)
            inner = _bodies(copy)[at]
            if isinstance(inner[place], ast.With):
                opened = deepcopy(copy)
                block = _bodies(opened)[at]
                block[place : place + 1] = block[place].body  # type: ignore[attr-defined]  # a with
                yield opened
            del inner[place]
            if not inner:
                inner.append(ast.Pass())
            yield copy


def _without_results(tree: ast.Module) -> Iterator[ast.Module]:
    """Each result left out of the tuple that a function returns and of the names it is given."""
    pairs = [node for node in ast.walk(tree) if isinstance(node, ast.Tuple) and len(node.elts) > 1]
    for at in range(max((len(node.elts) for node in pairs), default=0)):
        copy = deepcopy(tree)
        for node in ast.walk(copy):
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
                del node.value.elts[at : at + 1]
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
                del node.targets[0].elts[at : at + 1]
        yield copy


def _simpler_expressions(tree: ast.Module) -> Iterator[ast.Module]:
    for at, node in enumerate(ast.walk(tree)):
        for change in _changes(node):
            copy = deepcopy(tree)
            target = list(ast.walk(copy))[at]
            change(target)
            yield copy


def _changes(node: ast.AST) -> Iterator[Callable[[Any], None]]:
    """Ways to make one node of a program simpler, in place."""
    if isinstance(node, ast.Call):
        for at in range(len(node.keywords)):
            yield lambda target, at=at: target.keywords.pop(at)
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        yield lambda target: target.decorator_list.pop()
    if isinstance(node, ast.List | ast.Tuple) and len(node.elts) > 1:
        for at in range(len(node.elts)):
            yield lambda target, at=at: target.elts.pop(at)
    if isinstance(node, ast.List) and len(node.elts) == 1 and isinstance(node.elts[0], ast.List):
        yield lambda target: setattr(target, "elts", target.elts[0].elts)
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        for value in (1.0, 2.0, round(node.value, 1)):
            if len(repr(value)) < len(repr(node.value)) or value < abs(node.value) == node.value:
                yield lambda target, value=value: setattr(target, "value", value)
    elif type(getattr(node, "value", None)) is int and isinstance(node, ast.Constant):
        for value in (0, 1, 2):
            if value < node.value:  # type: ignore[operator]  # an int
                yield lambda target, value=value: setattr(target, "value", value)
