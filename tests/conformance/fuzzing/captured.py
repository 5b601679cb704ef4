"""A program rewritten so that every op call goes through a capture, in a context drawn at random.

The rewritten program computes the same values under the same names. Captures are stored at its
beginning, before any trace. A context puts a call into a function, a branch, a loop, a callback or
a Keras layer, or the whole program, tapes included, into one function. A statement that raises, or
holds a deliberate mistake, has captures but no context: TensorFlow's graphs raise other exceptions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from .captures import CAPTURES
from .contexts import CONTEXTS, Call, is_returnable
from .writer import Writer

OPERATORS: Final[dict[type[ast.AST], str]] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and_", ast.BitOr: "or_",
    ast.BitXor: "xor", ast.USub: "neg", ast.Invert: "invert", ast.Lt: "lt", ast.LtE: "le",
    ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
"""The function of Python's module `operator` for each operator of a program."""
NO_OPS: Final = {"tf.Variable", "tf.TensorShape"}
"""Classes that programs call: they go through captures too, but stay where they are."""
WHOLE: Final = 0.35
"""How often a whole program is put into a function."""


def captured(rng: Random, writer: Writer, *, raised: bool) -> str:
    """The text of a program with captures and contexts in the place of its op calls."""
    statements = ast.parse(writer.text).body
    corrupted = raised or "# corrupted: " in writer.text
    rewriting = Rewriting(rng, writer.scope, _last(statements) if corrupted else None)
    body = rewriting.block(statements)
    if not corrupted and rng.random() < WHOLE:
        body = rewriting.whole(ast.parse(writer.text).body, body)
    return "\n".join([*rewriting.imports(), *rewriting.stores, *body]) + "\n"


def _last(statements: list[ast.stmt]) -> ast.stmt | None:
    """The statement that was run last, in whichever block it stands."""
    if not statements:
        return None
    last = statements[-1]
    return _last(last.body) if isinstance(last, ast.With) else last


class Rewriting(ast.NodeTransformer):
    """One program while it is rewritten: the captures stored so far, and the lines of its blocks.

    `scope` holds what every name of the program had eagerly; `last` is the statement without a
    context, None if there is none.
    """

    def __init__(self, rng: Random, scope: dict[str, Any], last: ast.stmt | None) -> None:
        self.rng = rng
        self.scope = scope
        self.last = last
        self.stores: list[str] = []
        self._modules: set[str] = set()
        self._loads: dict[str, str] = {}
        self._before: list[str] = []
        self._count = 0

    def imports(self) -> list[str]:
        """The import statements of what the captures need."""
        return [f"import {module}" for module in sorted(self._modules)]

    def block(self, statements: list[ast.stmt]) -> list[str]:
        """The lines of a block."""
        return [line for each in statements for line in self._statement(each)]

    def _statement(self, node: ast.stmt) -> Iterator[str]:
        if isinstance(node, ast.With):
            yield ast.unparse(node).splitlines()[0]
            yield from _indented(self.block(node.body))
            return
        self._before = []
        plain = node.value if isinstance(node, ast.Assign | ast.Expr) else None
        is_op = plain is not None and node is not self.last and _is_op(plain)
        names = _names(plain) if is_op else []
        written = self.visit(node)
        target = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else "x"
        if is_op and target[0] not in "xv":
            lines = self._in_context(target, ast.unparse(written.value), names)
            *head, result = lines
            yield from [*self._before, *head, f"{target} = {result}"]
        else:
            yield from [*self._before, ast.unparse(written)]

    def _in_context(self, target: str, text: str, names: list[str]) -> list[str]:
        inputs = [self.scope[name] for name in names]
        call = Call(text, names, inputs, self.scope[target], self.scope["tf"])
        fitting = [each for each in CONTEXTS if each.takes(call)]
        (context,) = self.rng.choices(fitting, [each.share for each in fitting])
        return context.lines(call, self._number())

    def whole(self, statements: list[ast.stmt], body: list[str]) -> list[str]:
        """The lines of a body with their computation in one function, behind the data."""
        given = [name for each in statements if (name := _given(each))]
        variables = [
            name for each in ast.walk(ast.Module(statements, [])) if (name := _variable(each))
        ]
        outside = {*given, *variables}
        data, inner = [], []
        for line in body:
            target = line.strip().partition(" = ")[0]
            (data if target in outside else inner).append(line)
        assigned = [each for each in ast.walk(ast.Module(statements, [])) if _is_assignment(each)]
        results = [name for each in assigned if (name := self._result(each))]
        names = [name for name in results if name not in outside]
        if not names:
            return body
        passed = ", ".join(name for name in given if self.rng.random() < 0.5)
        results = ", ".join(names) if len(names) > 1 else f"{names[0]},"
        decorator = self.rng.choice(("@tf.function(autograph=False)", "@tf.function"))
        return [
            *(line.strip() for line in data),
            decorator,
            f"def program({passed}):",
            *_indented([*_filled(inner), f"return {results}"]),
            f"{results} = program({passed})",
        ]

    def _result(self, node: ast.Assign) -> str:
        """The name that a function can return, "" for a shape, an assertion and the like."""
        name = ast.unparse(node.targets[0])
        value = self.scope[name]
        asserts = value is None and _is_op(node.value)
        return name if is_returnable(self.scope["tf"], value) and not asserts else ""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        function = ast.unparse(node.func)
        if function.startswith("tf."):
            node.func = self._load(function)
        elif not function.startswith("np.") and "." in function and self.rng.random() < 0.4:
            bound = f"{node.func.attr}{self._number()}"
            self._before.append(f"{bound} = {function}")
            node.func = ast.Name(bound)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return self._operator(node, type(node.op), node.left, node.right)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        return self._operator(node, type(node.ops[0]), node.left, *node.comparators)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.operand, ast.Constant):
            return node  # a negative number
        self.generic_visit(node)
        return self._operator(node, type(node.op), node.operand)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if self.rng.random() < 0.6:
            return node
        return ast.Call(self._load("operator.getitem"), [node.value, _key(node.slice)], [])

    def _operator(self, node: ast.AST, kind: type[ast.AST], *operands: ast.expr) -> ast.AST:
        if self.rng.random() < 0.3:
            return node
        return ast.Call(self._load(f"operator.{OPERATORS[kind]}"), list(operands), [])

    def _load(self, function: str) -> ast.expr:
        """The expression that loads a function from its capture, which may be a new one."""
        if function not in self._loads or self.rng.random() < 0.3:
            capture = self.rng.choice(list(CAPTURES.values()))
            n = self._number()
            self._modules.update(capture.imports)
            self.stores += capture.stored(function, n)
            self._loads[function] = capture.loaded(function, n)
        if function.startswith("operator."):
            self._modules.add("operator")
        return ast.parse(self._loads[function], mode="eval").body

    def _number(self) -> int:
        self._count += 1
        return self._count


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _filled(lines: list[str]) -> Iterator[str]:
    """The lines of a body, with `pass` in a block that has lost all of its own."""
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        yield line
        depth = len(line) - len(line.lstrip())
        if line.endswith(":") and len(after) - len(after.lstrip()) <= depth:
            yield f"{' ' * depth}    pass"


def _is_assignment(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign)


def _is_op(node: ast.expr) -> bool:
    """Whether an expression is one op: a call of TensorFlow or an operator."""
    if isinstance(node, ast.Call):
        function = ast.unparse(node.func)
        return function.startswith("tf.") and function not in NO_OPS
    return isinstance(node, ast.BinOp | ast.Compare | ast.UnaryOp | ast.Subscript)


def _names(node: ast.expr) -> list[str]:
    """The names of the program that an expression reads, each once."""
    names = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
    return list(dict.fromkeys(name for name in names if re.fullmatch(r"[a-z]\d+", name)))


def _given(node: ast.stmt) -> str:
    """The name of the data that a statement outside of all blocks gives, "" if it gives none."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return ""
    name = ast.unparse(node.targets[0])
    return name if name[0] in "xv" and not _names(node.value) else ""


def _variable(node: ast.AST) -> str:
    """The name of the variable that a statement creates, "" if it creates none."""
    if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("tf.Variable("):
        return ast.unparse(node.targets[0])
    return ""


def _key(node: ast.expr) -> ast.expr:
    """A key as an expression outside of brackets: 1: is slice(1, None, None)."""
    if isinstance(node, ast.Slice):
        bounds = [each or ast.Constant(None) for each in (node.lower, node.upper, node.step)]
        return ast.Call(ast.Name("slice"), bounds, [])
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_key(each) for each in node.elts])
    return node
