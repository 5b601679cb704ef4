"""The rewriting of a function's syntax tree for `conversion.py`."""

from __future__ import annotations

import ast
from copy import deepcopy
from typing import Any, Final

HELPER: Final = "ag__"
_SCOPES: Final = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


def assigned(nodes: Any) -> list[str]:
    """The names that statements bind, in order, but not those inside functions of their own."""
    names: dict[str, None] = {}
    pending = list(reversed(nodes if isinstance(nodes, list) else [nodes]))
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.setdefault(node.name)
        if isinstance(node, _SCOPES):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id)
        pending.extend(reversed(list(ast.iter_child_nodes(node))))
    return list(names)


def contains(nodes: Any, kinds: Any, *, into_loops: bool = True) -> bool:
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


def statements(text: str, at: ast.AST, **parts: Any) -> list[ast.stmt]:
    """Statements from a text, at the position of a node; names in `parts` are filled in."""
    tree = ast.parse(text)
    parts = {name: part for name, part in parts.items() if part is not None}
    filled = _Fill(parts).visit(tree)
    return [_placed(each, at, parts) for each in filled.body]


def _placed(statement: Any, at: ast.AST, parts: Any) -> Any:
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


class Rewriter(ast.NodeTransformer):
    """Rewrites one function; functions inside it are rewritten when they are called."""

    def __init__(self, outside: tuple[str, ...]) -> None:
        self._outside = set(outside)
        self._global: set[str] = set()
        self._nonlocal: set[str] = set()
        self._count = 0

    def function(self, definition: ast.FunctionDef) -> ast.FunctionDef:
        """The definition with its body rewritten."""
        for node in ast.walk(definition):
            if isinstance(node, ast.Global):
                self._global |= set(node.names)
            elif isinstance(node, ast.Nonlocal):
                self._nonlocal |= set(node.names)
        bound = _parameters(definition)
        loose = [name for name in assigned(definition.body) if name not in bound | self._declared]
        body = [statement for each in _tail(definition.body) for statement in self._each(each)]
        start = [
            statement
            for name in loose
            for statement in statements(f"{name} = {HELPER}.Undefined({name!r})", definition)
        ]
        declared = [each for each in body if isinstance(each, (ast.Global, ast.Nonlocal))]
        rest = [each for each in body if each not in declared]
        doc = rest[:1] if _is_text(rest[:1]) else []
        definition.body = [*doc, *declared, *start, *rest[len(doc) :]]
        return definition

    def _each(self, statement: ast.stmt) -> list[ast.stmt]:
        found = self.visit(statement)
        return found if isinstance(found, list) else [found]

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [made for each in body for made in self._each(each)]

    @property
    def _declared(self) -> set[str]:
        return self._global | self._nonlocal

    def _fresh(self, word: str) -> str:
        self._count += 1
        return f"{word}__{self._count}"

    def _state(self, nodes: list[ast.stmt], at: ast.AST) -> tuple[list[str], list[ast.stmt], str]:
        """The names that a block binds, and functions that get and set them all."""
        names = [name for name in assigned(nodes) if name not in self._declared]
        getter = self._fresh("state")
        inside = f"nonlocal {', '.join(names)}\n        " if names else ""
        left = "".join(f"{name}, " for name in names)
        text = (
            f"def get_{getter}():\n    return ({left})\n"
            f"def set_{getter}(values):\n    {inside.strip() or 'pass'}\n"
            + (f"    ({left}) = values\n" if names else "")
        )
        return names, statements(text, at), getter

    def _helper(
        self, name: str, argument: str, body: list[ast.stmt], names: list[str], at: Any
    ) -> Any:
        """A function of a block, which binds the names outside of it."""
        inside = assigned(body)
        outside = [*names, *(each for each in inside if each in self._nonlocal)]
        shared = [each for each in inside if each in self._global]
        lines = [f"    {word} {', '.join(each)}\n" for word, each in
                 (("nonlocal", outside), ("global", shared)) if each]  # fmt: skip
        return statements(f"def {name}({argument}):\n{''.join(lines)}    BODY\n", at, BODY=body)[0]

    def visit_If(self, node: ast.If) -> Any:
        """`if`, with each branch a function."""
        if contains([*node.body, *node.orelse], (ast.Break, ast.Continue), into_loops=False):
            return self.generic_visit(node)
        returns = contains([*node.body, *node.orelse], ast.Return)
        if returns and not (_returns(node.body) and _returns(node.orelse)):
            return self.generic_visit(node)
        test = self.visit(node.test)
        names, state, getter = self._state([*node.body, *node.orelse], node)
        first, second = self._fresh("if_body"), self._fresh("else_body")
        rest = node.orelse or statements("pass", node)
        call = (
            f"{HELPER}.if_(TEST, {first}, {second}, get_{getter}, set_{getter}, {tuple(names)!r}, "
            f"{returns})"
        )
        return [
            *state,
            self._helper(first, "", self._block(node.body), names, node),
            self._helper(second, "", self._block(rest), names, node),
            *statements(f"return {call}" if returns else call, node, TEST=test),
        ]

    def visit_While(self, node: ast.While) -> Any:
        """`while`, with its test and its body functions."""
        if contains(node.body, ast.Return) or node.orelse:
            return self.generic_visit(node)
        prepared, body, test = self._without_jumps(node)
        names, state, getter = self._state(body, node)
        check, step = self._fresh("loop_test"), self._fresh("loop_body")
        both = f"{HELPER}.and_(lambda: GOES_ON, lambda: TEST)" if test else "TEST"
        condition = statements(
            f"def {check}():\n    return {both}", node, TEST=self.visit(node.test), GOES_ON=test
        )
        call = f"{HELPER}.while_({check}, {step}, get_{getter}, set_{getter}, {tuple(names)!r})"
        return [
            *prepared, *state, *condition,
            self._helper(step, "", self._block(body), names, node),
            *statements(call, node),
        ]  # fmt: skip

    def visit_For(self, node: ast.For) -> Any:
        """`for`, with its body a function of the item."""
        if contains(node.body, ast.Return) or node.orelse:
            return self.generic_visit(node)
        prepared, body, test = self._without_jumps(node)
        item = self._fresh("item")
        target = ast.Assign(targets=[node.target], value=ast.Name(item, ast.Load()))
        ast.copy_location(target, node.target)
        names, state, getter = self._state([target, *body], node)
        step = self._fresh("loop_body")
        check = "lambda: GOES_ON" if test else "None"
        call = (
            f"{HELPER}.for_(ITEMS, {step}, get_{getter}, set_{getter}, {tuple(names)!r}, {check})"
        )
        return [
            *prepared, *state,
            self._helper(step, item, [target, *self._block(body)], names, node),
            *statements(call, node, ITEMS=self.visit(node.iter), GOES_ON=test),
        ]  # fmt: skip

    def _without_jumps(self, node: Any) -> tuple[list[ast.stmt], list[ast.stmt], Any]:
        """A loop's body with its breaks and continues turned into flags, and what must hold on."""
        body, prepared, test = node.body, [], None
        if contains(body, ast.Continue, into_loops=False):
            flag = self._fresh("skipped")
            body = [*statements(f"{flag} = False", node), *_flagged(body, ast.Continue, flag)]
            prepared += statements(f"{flag} = False", node)
        if contains(body, ast.Break, into_loops=False):
            flag = self._fresh("stopped")
            body = _flagged(body, ast.Break, flag)
            prepared += statements(f"{flag} = False", node)
            test = statements(f"{HELPER}.not_({flag})", node)[0].value  # type: ignore[attr-defined]
        return prepared, body, test

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """`and` and `or`, with the later parts held back."""
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        parts = [self.visit(each) for each in node.values]
        made = parts[-1]
        for each in reversed(parts[:-1]):
            made = _expression(f"{HELPER}.{name}(lambda: A, lambda: B)", node, A=each, B=made)
        return made

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """`not`."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return _expression(f"{HELPER}.not_(A)", node, A=node.operand)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """`a if c else b`, with both held back."""
        self.generic_visit(node)
        return _expression(
            f"{HELPER}.if_expression(T, lambda: A, lambda: B)", node,
            T=node.test, A=node.body, B=node.orelse,
        )  # fmt: skip

    def visit_Call(self, node: ast.Call) -> Any:
        """A call, whose function may be rewritten, too."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "print", "locals"):
            return node
        node.func = _expression(f"{HELPER}.callee(F)", node.func, F=node.func)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """A function inside is rewritten when it is called."""
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """The body of a lambda."""
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """A class inside stays as it is."""
        return node


def _expression(text: str, at: ast.AST, **parts: Any) -> Any:
    made: Any = statements(text, at, **parts)[0]
    return made.value


def _is_text(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)


def _parameters(definition: ast.FunctionDef) -> set[str]:
    given = definition.args
    extra = [each for each in (given.vararg, given.kwarg) if each is not None]
    return {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, *extra)}


def _returns(body: list[ast.stmt]) -> bool:
    """Whether every path through a block returns."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, (ast.Return, ast.Raise)):
        return True
    return isinstance(last, ast.If) and _returns(last.body) and _returns(last.orelse)


def _tail(body: list[ast.stmt]) -> list[ast.stmt]:
    """A block in which what follows a returning `if` stands inside its branches."""
    for at, each in enumerate(body):
        if isinstance(each, ast.If) and contains([*each.body, *each.orelse], ast.Return):
            if contains([*each.body, *each.orelse], (ast.For, ast.While)) and contains(
                [s for s in ast.walk(each) if isinstance(s, (ast.For, ast.While))], ast.Return
            ):
                return body
            rest = body[at + 1 :]
            each.body = _tail([*each.body, *([] if _returns(each.body) else rest)])
            rest = [] if _returns(each.orelse) else deepcopy(rest)
            each.orelse = _tail([*each.orelse, *rest])
            for branch in (each.body, each.orelse):
                if not _returns(branch):
                    branch.extend(statements("return None", each))
            return [*body[:at], each]
    return body


def _flagged(body: list[ast.stmt], jump: type[ast.stmt], flag: str) -> list[ast.stmt]:
    """A block in which a jump sets a flag, and what would be skipped asks for the flag."""
    made: list[ast.stmt] = []
    for at, each in enumerate(body):
        if isinstance(each, jump):
            return [*made, *statements(f"{flag} = True", each)]
        if contains(each, jump, into_loops=False) and isinstance(each, ast.If):
            each.body = _flagged(each.body, jump, flag)
            each.orelse = _flagged(each.orelse, jump, flag)
            made.append(each)
            rest = _flagged(body[at + 1 :], jump, flag)
            if rest:
                made += statements(f"if not {flag}:\n    BODY", each, BODY=rest)
            return made
        made.append(each)
    return made
