"""The rewriting of a function's syntax tree: control flow becomes calls of helpers.

Each branch and each loop body becomes a nested function, beside functions that get and set the
names it binds. A helper (`operators`) then decides at run time whether Python or the graph runs
them. `break` and `continue` become flags, and statements behind a returning `if` move into its
branches. Code positions stay those of the source.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Sequence
from typing import Any, Final

from tapelab.compile.autograph.name_liveness import Loop, live_names
from tapelab.compile.autograph.syntax_tree import (
    always_returns,
    assigned,
    contains,
    expression,
    flagged,
    holders,
    is_text,
    names_in,
    parameters,
    returns_last,
    statements,
    stored_parts,
)

HELPER: Final = "ag__"
_SIGNS: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "left < right", ast.LtE: "left <= right", ast.Gt: "left > right",
    ast.GtE: "left >= right", ast.Eq: "left == right", ast.NotEq: "left != right",
    ast.Is: "left is right", ast.IsNot: "left is not right", ast.In: "left in right",
    ast.NotIn: "left not in right",
}  # fmt: skip
"""A comparison by its operator, in the words of a lambda."""


class Rewriter(ast.NodeTransformer):
    """Rewrites one function; functions inside it are rewritten when they are called."""

    def __init__(self) -> None:
        self._global: set[str] = set()
        self._nonlocal: set[str] = set()
        self._local: set[str] = set()
        self._live: dict[Loop, frozenset[str]] = {}
        self._count = 0

    def function(self, definition: ast.FunctionDef) -> ast.FunctionDef:
        """The definition with its body rewritten."""
        for node in ast.walk(definition):
            if isinstance(node, ast.Global):
                self._global |= set(node.names)
            elif isinstance(node, ast.Nonlocal):
                self._nonlocal |= set(node.names)
        known = parameters(definition) | self._declared
        self._local = {*parameters(definition), *assigned(definition.body)} - self._declared
        loose = [name for name in assigned(definition.body) if name not in known]
        whole = returns_last(definition.body)
        self._live = live_names(whole)
        body = self._block(whole)
        start = _undefined(loose, definition)
        declared = [each for each in body if isinstance(each, (ast.Global, ast.Nonlocal))]
        rest = [each for each in body if each not in declared]
        doc = rest[:1] if is_text(rest[:1]) else []
        definition.body = [*doc, *declared, *start, *rest[len(doc) :]]
        return definition

    def _each(self, statement: ast.stmt) -> list[ast.stmt]:
        rewritten = self.visit(statement)
        return rewritten if isinstance(rewritten, list) else [rewritten]

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [statement for each in body for statement in self._each(each)]

    @property
    def _declared(self) -> set[str]:
        return self._global | self._nonlocal

    def _fresh(self, word: str) -> str:
        self._count += 1
        return f"{word}__{self._count}"

    def _state(
        self, nodes: list[ast.stmt], at: ast.AST, dropped: Container[str] = ()
    ) -> tuple[list[str], list[ast.stmt], str]:
        """The names and parts that a block assigns, and functions that get and set them all.

        A part is an attribute or an item, `box.x` or `d["a"]`, of something that is there before
        the block. With an item, the name that holds it belongs to the state, too.
        """
        bound = assigned(nodes)
        held = [each for each in holders(nodes) if each in self._local]
        names = [name for name in dict.fromkeys([*bound, *held]) if name not in dropped]
        parts = [p for p in stored_parts(nodes) if not names_in(p).intersection(bound)]
        texts = [ast.unparse(part) for part in parts]
        getter = self._fresh("state")
        unsure = [*self._declared, *texts]
        read = [f"{HELPER}.part(lambda: {each}, {each!r})" if each in unsure else each
                for each in (*names, *texts)]  # fmt: skip
        text = (
            f"def get_{getter}():\n    return ({''.join(f'{each}, ' for each in read)})\n"
            f"def set_{getter}(values):\n    pass\n{self._declarations(names, names)}"
        )
        if read:
            text += f"    ({''.join(f'{each}, ' for each in (*names, *texts))}) = values\n"
        return [*names, *texts], statements(text, at), getter

    def _helper(
        self, name: str, argument: str, body: list[ast.stmt], names: list[str], at: Any
    ) -> Any:
        """A function of a block, which binds the names outside of it."""
        lines = self._declarations([each for each in names if each.isidentifier()], assigned(body))
        return statements(f"def {name}({argument}):\n{lines}    BODY\n", at, BODY=body)[0]

    def _declarations(self, names: Sequence[str], bound: Sequence[str]) -> str:
        """What a function inside declares that binds names of the function around it."""
        shared = {each for each in (*names, *bound) if each in self._global}
        outside = {*names, *(each for each in bound if each in self._nonlocal)} - shared
        lines = (("nonlocal", sorted(outside)), ("global", sorted(shared)))
        return "".join(f"    {word} {', '.join(each)}\n" for word, each in lines if each)

    def visit_If(self, node: ast.If) -> Any:
        """`if`, with each branch a function."""
        jumps = contains([*node.body, *node.orelse], (ast.Break, ast.Continue), into_loops=False)
        returns = contains([*node.body, *node.orelse], ast.Return)
        whole = always_returns(node.body) and always_returns(node.orelse)
        if jumps or (returns and not whole):
            self.generic_visit(node)
            node.test = expression(f"{HELPER}.known(T, {returns})", node.test, T=node.test)
            return node
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
            return self._python_loop(node, "test")
        own = self._own_names(node, node.body)
        prepared, body, test = self._without_jumps(node)
        names, state, getter = self._state(body, node, own)
        check, step = self._fresh("loop_test"), self._fresh("loop_body")
        both = f"{HELPER}.and_(lambda: GOES_ON, lambda: TEST)" if test else "TEST"
        condition = statements(
            f"def {check}():\n    return {both}", node, TEST=self.visit(node.test), GOES_ON=test
        )
        call = f"{HELPER}.while_({check}, {step}, get_{getter}, set_{getter}, {tuple(names)!r})"
        return [
            *prepared, *state, *condition,
            self._helper(step, "", [*_undefined(own, node), *self._block(body)], names, node),
            *statements(call, node),
        ]  # fmt: skip

    def visit_For(self, node: ast.For) -> Any:
        """`for`, with its body a function of the item."""
        if contains(node.body, ast.Return) or node.orelse:
            return self._python_loop(node, "iter")
        own = self._own_names(node, [node.target, *node.body])
        prepared, body, test = self._without_jumps(node)
        item = self._fresh("item")
        target = ast.Assign(targets=[node.target], value=ast.Name(item, ast.Load()))
        ast.copy_location(target, node.target)
        names, state, getter = self._state([target, *body], node, own)
        step = self._fresh("loop_body")
        check = "lambda: GOES_ON" if test else "None"
        call = (
            f"{HELPER}.for_(ITEMS, {step}, get_{getter}, set_{getter}, {tuple(names)!r}, {check}, "
            f"{ast.unparse(node.target)!r})"
        )
        return [
            *prepared, *state,
            self._helper(
                step, item, [*_undefined(own, node), target, *self._block(body)], names, node
            ),
            *statements(call, node, ITEMS=self.visit(node.iter), GOES_ON=test),
        ]  # fmt: skip

    def _own_names(self, loop: Loop, body: Sequence[ast.AST]) -> list[str]:
        """The names that each round of a loop binds for itself alone; see `liveness`."""
        shared = self._live[loop] | self._declared
        return [name for name in assigned([*body]) if name not in shared]

    def _python_loop(self, node: Loop, decides: str) -> Any:
        """A loop that only Python can run: it is left by `return`, or has an `else`."""
        self.generic_visit(node)
        if contains(node.body, ast.Return):
            value = getattr(node, decides)
            setattr(node, decides, expression(f"{HELPER}.left_by_return(T)", value, T=value))
        return node

    def _without_jumps(self, node: Loop) -> tuple[list[ast.stmt], list[ast.stmt], Any]:
        """A loop's body with its breaks and continues turned into flags, and what must hold on."""
        body, prepared, test = node.body, [], None
        if contains(body, ast.Continue, into_loops=False):
            flag = self._fresh("skipped")
            body = [*statements(f"{flag} = False", node), *flagged(body, ast.Continue, flag)]
            prepared += statements(f"{flag} = False", node)
        if contains(body, ast.Break, into_loops=False):
            flag = self._fresh("stopped")
            body = flagged(body, ast.Break, flag)
            prepared += statements(f"{flag} = False", node)
            goes_on: Any = statements(f"{HELPER}.not_({flag})", node)[0]
            test = goes_on.value
        return prepared, body, test

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """`and` and `or`, with the later parts held back."""
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        parts = [self.visit(each) for each in node.values]
        condition = parts[-1]
        for each in reversed(parts[:-1]):
            condition = expression(
                f"{HELPER}.{name}(lambda: A, lambda: B)", node, A=each, B=condition
            )
        return condition

    def visit_Compare(self, node: ast.Compare) -> Any:
        """`a < b < c`, of which each part is evaluated once."""
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        links = [
            f"(lambda left, right: {_SIGNS[type(op)]}, lambda: P{at})"
            for at, op in enumerate(node.ops)
        ]
        parts = {f"P{at}": each for at, each in enumerate(node.comparators)}
        text = f"{HELPER}.compared(A, {', '.join(links)})"
        return expression(text, node, A=node.left, **parts)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """`not`."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return expression(f"{HELPER}.not_(A)", node, A=node.operand)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """`a if c else b`, with both held back."""
        self.generic_visit(node)
        return expression(
            f"{HELPER}.if_expression(T, lambda: A, lambda: B)", node,
            T=node.test, A=node.body, B=node.orelse,
        )  # fmt: skip

    def visit_Call(self, node: ast.Call) -> Any:
        """A call, whose function may be rewritten, too."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "print", "locals"):
            return node
        node.func = expression(f"{HELPER}.callee(F)", node.func, F=node.func)
        return node

    def visit_Delete(self, node: ast.Delete) -> Any:
        """`del`: a name has no value any more, and says so when it is used."""
        names = [each.id for each in node.targets if isinstance(each, ast.Name)]
        loose = [name for name in names if name not in self._declared]
        node.targets = [t for t in node.targets if getattr(t, "id", None) not in loose]
        return [*([node] if node.targets else []), *_undefined(loose, node)]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """A function inside is rewritten when it is called."""
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """The body of a lambda."""
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """A class inside stays as it is."""
        return node


def _undefined(names: Iterable[str], at: ast.AST) -> list[ast.stmt]:
    """Statements that give names a value that says, when it is used, that they have none yet."""
    texts = [f"{name} = {HELPER}.Undefined({name!r})" for name in names]
    return [statement for text in texts for statement in statements(text, at)]
