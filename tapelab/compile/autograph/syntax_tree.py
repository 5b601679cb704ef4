"""Small tools for syntax trees: what statements bind and hold, and new ones from a text."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Final

from tapelab.compile.pytree import Tree

_SCOPES: Final = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


def assigned(nodes: ast.AST | Sequence[ast.AST]) -> list[str]:
    """The names that statements bind or delete, in order; not those inside functions."""
    names: dict[str, None] = {}
    pending = list(reversed(nodes if isinstance(nodes, list) else [nodes]))
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.setdefault(node.name)
        if isinstance(node, _SCOPES):
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.setdefault(node.id)
        pending.extend(reversed(list(ast.iter_child_nodes(node))))
    return list(names)


def stored_parts(nodes: Sequence[ast.AST]) -> list[ast.expr]:
    """The attributes and items that statements assign, by their texts; not inside functions.

    Only those are returned that can be named: `box.x`, `box.y.x`, `d["a"]`, `rows[k]`. With an
    item comes what holds it, where that is a part itself: `box.d` with `box.d["a"]`.
    """
    parts: dict[str, ast.expr] = {}
    pending = list(reversed(nodes))
    while pending:
        node = pending.pop()
        if isinstance(node, _SCOPES):
            continue
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            holder = node.value
            if isinstance(node, ast.Subscript) and not isinstance(holder, ast.Name):
                parts |= {ast.unparse(holder): holder} if _is_named(holder) else {}
            parts |= {ast.unparse(node): node} if _is_named(node) else {}
        pending.extend(reversed(list(ast.iter_child_nodes(node))))
    return list(parts.values())


def _is_named(node: ast.expr) -> bool:
    """Whether an expression is a name, or an attribute or an item of what is named."""
    if isinstance(node, ast.Attribute):
        return _is_named(node.value)
    if isinstance(node, ast.Subscript):
        at = node.slice
        return _is_named(node.value) and (isinstance(at, ast.Constant) or _is_named(at))
    return isinstance(node, ast.Name)


def holders(nodes: Sequence[ast.AST]) -> list[str]:
    """The names whose items statements assign: `d` for `d["a"] = 1`."""
    items = [node for node in stored_parts(nodes) if isinstance(node, ast.Subscript)]
    return [node.value.id for node in items if isinstance(node.value, ast.Name)]


def names_in(node: ast.AST) -> set[str]:
    """The names that an expression reads."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def contains(nodes: ast.AST | Sequence[ast.AST], kinds: Any, *, into_loops: bool = True) -> bool:
    """Whether statements hold one of some kinds, outside of functions of their own."""
    pending = list(nodes if isinstance(nodes, list) else [nodes])
    while pending:
        node = pending.pop()
        if isinstance(node, kinds):
            return True
        if isinstance(node, _SCOPES) or (isinstance(node, (ast.For, ast.While)) and not into_loops):
            continue
        pending.extend(ast.iter_child_nodes(node))
    return False


def statements(text: str, at: ast.AST, **parts: Tree) -> list[ast.stmt]:
    """Statements from a text, at the position of a node; names in `parts` are filled in."""
    tree = ast.parse(text)
    parts = {name: part for name, part in parts.items() if part is not None}
    filled = _Fill(parts).visit(tree)
    return [_placed(each, at, parts) for each in filled.body]


def _placed(statement: Any, at: ast.AST, parts: Tree) -> Any:
    kept = {
        id(inner) for each in parts.values() for top in _listed(each) for inner in ast.walk(top)
    }
    for node in ast.walk(statement):
        if id(node) not in kept and hasattr(node, "lineno"):
            ast.copy_location(node, at)
    return statement


def _listed(part: Any) -> list[ast.AST]:
    return part if isinstance(part, list) else [part]


class _Fill(ast.NodeTransformer):
    def __init__(self, parts: dict[str, Any]) -> None:
        self._parts = parts

    def visit_Name(self, node: ast.Name) -> Any:
        return self._parts.get(node.id, node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id in self._parts:
            part = self._parts[node.value.id]
            return part if isinstance(part, list) else ast.Expr(part)
        return self.generic_visit(node)


def expression(text: str, at: ast.AST, **parts: Tree) -> Any:
    """An expression from a text, as `statements`."""
    statement: Any = statements(text, at, **parts)[0]
    return statement.value


def is_text(body: list[ast.stmt]) -> bool:
    """Whether a block begins with a docstring."""
    return bool(body) and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)


def parameters(definition: ast.FunctionDef) -> set[str]:
    """The names of all parameters of a function."""
    given = definition.args
    extra = [each for each in (given.vararg, given.kwarg) if each is not None]
    return {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, *extra)}


def always_returns(body: list[ast.stmt]) -> bool:
    """Whether every path through a block returns."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, (ast.Return, ast.Raise)):
        return True
    return isinstance(last, ast.If) and always_returns(last.body) and always_returns(last.orelse)


def returns_last(body: list[ast.stmt]) -> list[ast.stmt]:
    """A block in which what follows a returning `if` stands inside its branches."""
    for at, each in enumerate(body):
        if isinstance(each, ast.If) and contains([*each.body, *each.orelse], ast.Return):
            if contains([*each.body, *each.orelse], (ast.For, ast.While)) and contains(
                [s for s in ast.walk(each) if isinstance(s, (ast.For, ast.While))], ast.Return
            ):
                return body
            rest = body[at + 1 :]
            each.body = returns_last([*each.body, *([] if always_returns(each.body) else rest)])
            rest = [] if always_returns(each.orelse) else deepcopy(rest)
            each.orelse = returns_last([*each.orelse, *rest])
            for branch in (each.body, each.orelse):
                if not always_returns(branch):
                    branch.extend(statements("return None", each))
            return [*body[:at], each]
    return body


def flagged(body: list[ast.stmt], jump: type[ast.stmt], flag: str) -> list[ast.stmt]:
    """A block in which a jump sets a flag, and what would be skipped asks for the flag."""
    block: list[ast.stmt] = []
    for at, each in enumerate(body):
        if isinstance(each, jump):
            return [*block, *statements(f"{flag} = True", each)]
        if contains(each, jump, into_loops=False) and isinstance(each, ast.If):
            each.body = flagged(each.body, jump, flag)
            each.orelse = flagged(each.orelse, jump, flag)
            block.append(each)
            rest = flagged(body[at + 1 :], jump, flag)
            if rest:
                block += statements(f"if not {flag}:\n    BODY", each, BODY=rest)
            return block
        block.append(each)
    return block
