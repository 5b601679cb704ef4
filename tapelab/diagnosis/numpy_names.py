"""Lines that leave the tape, written so that they stay: `np.mean(h)` → `tf.reduce_mean(h)`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.detours import Trail

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code
    from tapelab.diagnosis.edits import Edit
    from tapelab.diagnosis.finding import Fix

SAME_NAMES: Final = (
    *("abs", "sqrt", "square", "exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos"),
    *("atan", "asinh", "acosh", "atanh", "sign", "maximum", "minimum", "where", "matmul", "pow"),
    *("transpose", "reshape", "stack", "add", "subtract", "multiply", "divide", "negative"),
    *("squeeze", "expand_dims", "tile", "cumsum"),
)
TF_NAMES: Final = dict.fromkeys(SAME_NAMES, "") | {
    "mean": "reduce_mean", "average": "reduce_mean", "sum": "reduce_sum", "prod": "reduce_prod",
    "max": "reduce_max", "amax": "reduce_max", "min": "reduce_min", "amin": "reduce_min",
    "std": "math.reduce_std", "var": "math.reduce_variance", "log": "math.log",
    "log1p": "math.log1p", "expm1": "math.expm1", "power": "pow", "fabs": "abs", "absolute": "abs",
    "clip": "clip_by_value", "linalg.norm": "norm", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
}  # fmt: skip
"""What the functions of NumPy and `math` are called in tf; empty where the name is the same."""

REDUCTIONS: Final = {"mean", "sum", "prod", "max", "min", "std", "var"}
EXITS: Final = {"numpy", "item", "tolist", "to_list", "copy", "astype"}
COPIES: Final = {"float", "array", "asarray", "asanyarray", "float32", "float64"}
PREDICTIONS: Final = {"predict", "predict_on_batch"}
WRAPPERS: Final = {"constant", "convert_to_tensor", "Variable"}


def stay_on_the_tape(case: Case, exits: Sequence[int], back_span: int) -> Fix | None:
    """The lines from some exits (their spans) to the way back, with tf's functions in place of
    NumPy's.
    """
    code, statement = case.codes.of(exits[0]), case.codes.statement(exits[0])
    lefts = [case.codes.extent(span) for span in exits if case.codes.of(span) is code]
    if code is None or statement is None:
        return None
    words = Rewording(code, Trail(code, *filter(None, lefts)))
    changes = words.edits(statement)
    if case.codes.of(back_span) is code and changes:
        last = case.codes.line(back_span)
        between = (s for s in code.statements() if statement.lineno < s.lineno <= last)
        for each in between:
            if isinstance(each, (ast.Assign, ast.AugAssign, ast.Return)):
                changes += words.edits(each)
    return edits.fix(code, changes)


class Rewording:
    """Expressions along a trail, said without leaving the tape."""

    def __init__(self, code: Code, trail: Trail) -> None:
        self.code = code
        self.trail = trail
        self.tf = edits.tf_alias(code)

    def edits(self, node: ast.AST) -> list[Edit]:
        """The calls to replace in a statement or an expression."""
        if isinstance(node, ast.Call) and self.trail.touches(node) and (new := self._said(node)):
            return [edits.replaced(self.code, node, edits.bracketed(self.code, node, new))]
        return [edit for child in ast.iter_child_nodes(node) for edit in self.edits(child)]

    def _text(self, node: ast.expr) -> str:
        return edits.rewritten(self.code, self.code.extent(node), self.edits(node))

    def _said(self, call: ast.Call) -> str:
        """What to write for a call; empty where it can stay or has no other name."""
        is_method = (
            isinstance(call.func, ast.Attribute)
            and call.func.attr not in PREDICTIONS
            and (self.trail.touches(call.func.value) or call.func.attr in {"numpy", "to_list"})
        )
        if is_method:
            assert isinstance(call.func, ast.Attribute)
            return self._method(call, call.func)
        module, _, name = ast.unparse(call.func).rpartition(".")
        root, _, inner = module.partition(".")
        one = len(call.args) == 1 and all(each.arg in {"dtype", "name"} for each in call.keywords)
        if one and name in COPIES | WRAPPERS and root in {"", "np", "numpy", self.tf}:
            given = self._text(call.args[0])
            return f"{self.tf}.stack({given})" if isinstance(call.args[0], ast.List) else given
        if name in PREDICTIONS and call.args:
            return f"{module}({self._text(call.args[0])}, training=True)"
        if root in {"np", "numpy", "math"}:
            return self._function(call, f"{inner}.{name}" if inner else name, [])
        return ""

    def _method(self, call: ast.Call, method: ast.Attribute) -> str:
        if method.attr in EXITS:
            return self._text(method.value)
        if method.attr in REDUCTIONS:
            return self._function(call, method.attr, [self._text(method.value)])
        return ""

    def _function(self, call: ast.Call, name: str, first: list[str]) -> str:
        if name not in TF_NAMES:
            return ""
        given = first + [self._text(each) for each in call.args]
        given += [f"{each.arg}={self._text(each.value)}" for each in call.keywords]
        return f"{self.tf}.{TF_NAMES[name] or name}({', '.join(given)})"
