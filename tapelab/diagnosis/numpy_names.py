"""Lines that leave the tape, written so that they stay on it: `np.mean(h)` → `tf.reduce_mean(h)`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code
    from tapelab.diagnosis.finding import Fix

SAME: Final = (
    *("abs", "sqrt", "square", "exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sign"),
    *("maximum", "minimum", "cumsum", "where", "matmul", "transpose", "reshape", "stack"),
    *("add", "subtract", "multiply", "divide", "squeeze", "expand_dims", "tile", "outer"),
    *("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"),
)
RENAMED: Final = {
    "mean": "reduce_mean", "sum": "reduce_sum", "prod": "reduce_prod", "max": "reduce_max",
    "min": "reduce_min", "amax": "reduce_max", "amin": "reduce_min", "average": "reduce_mean",
    "std": "math.reduce_std", "var": "math.reduce_variance", "log": "math.log",
    "log1p": "math.log1p", "expm1": "math.expm1", "power": "pow", "pow": "pow", "fabs": "abs",
    "absolute": "abs", "clip": "clip_by_value", "concatenate": "concat", "linalg.norm": "norm",
    "linalg.inv": "linalg.inv", "linalg.det": "linalg.det", "asin": "asin", "acos": "acos",
    "atan": "atan", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "negative": "negative",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "outer": "linalg.outer",
    "erf": "math.erf", "lgamma": "math.lgamma", "dot": "linalg.matvec",
}  # fmt: skip
COPIES: Final = {"float", "array", "asarray", "float32", "float64", "asanyarray"}
"""Functions that change nothing but the type: on the tape they are not needed."""
WRAPPERS: Final = {"constant", "convert_to_tensor", "Variable"}


def stay_on_the_tape(case: Case, span: int) -> Fix | None:
    """The line of an exit with tf's functions in place of NumPy's, and without the way back."""
    exit_, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(exit_, ast.Call):
        return None
    tf = _alias(code)
    text = _stayed(code, exit_, tf)
    node: ast.expr = exit_
    while text and isinstance(parent := code.parent.get(node), ast.Call) and node in parent.args:
        outer = _function(parent)
        if outer in WRAPPERS | COPIES and len(parent.args) == 1:
            node = parent
        elif _is_numpy(parent) and (renamed := _tf_name(outer)):
            text, node = _call(code, parent, f"{tf}.{renamed}", {node: text}), parent
        else:
            break
    if not text:
        return None
    if node is not exit_ or text != code.text(exit_):
        return edits.fix(code, [edits.replaced(code, node, _fitted(code, exit_, node, text))])
    return None


def _stayed(code: Code, call: ast.Call, tf: str) -> str:
    """What to write for the exit itself; empty where there is no such thing."""
    name = _function(call)
    if name == "numpy" and isinstance(call.func, ast.Attribute) and not call.args:
        return code.text(call.func.value)
    if name in COPIES and len(call.args) == 1:
        return code.text(call.args[0])
    renamed = _tf_name(name) if _is_numpy(call) else ""
    return _call(code, call, f"{tf}.{renamed}", {}) if renamed else ""


def _fitted(code: Code, exit_: ast.Call, node: ast.expr, text: str) -> str:
    """The text in brackets where the expression around would otherwise pull it apart."""
    try:
        new = ast.parse(text, mode="eval").body
    except SyntaxError:
        return text
    around = code.parent.get(node)
    loose = isinstance(new, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.BoolOp))
    tight = isinstance(around, (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript, ast.Compare))
    return f"({text})" if loose and tight and not text.startswith("(") else text


def _call(code: Code, call: ast.Call, function: str, parts: dict[ast.expr, str]) -> str:
    given = [parts.get(each) or _without_exit(code, each) for each in call.args]
    given += [f"{each.arg}={code.text(each.value)}" for each in call.keywords if each.arg]
    return f"{function}({', '.join(given)})"


def _without_exit(code: Code, node: ast.expr) -> str:
    """An argument without the `.numpy()` at its end."""
    if isinstance(node, ast.Call) and _function(node) == "numpy" and not node.args:
        assert isinstance(node.func, (ast.Attribute, ast.Name))
        return code.text(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    return code.text(node)


def _function(call: ast.Call) -> str:
    """The function's name without the module in front."""
    name = ast.unparse(call.func)
    if name.split(".")[0] in {"np", "numpy"} and "linalg" in name:
        return name.split(".", 1)[1]
    return name.rsplit(".", 1)[-1]


def _is_numpy(call: ast.Call) -> bool:
    return ast.unparse(call.func).split(".")[0] in {"np", "numpy", "math"}


def _tf_name(name: str) -> str:
    return RENAMED.get(name) or (name if name in SAME else "")


def _alias(code: Code) -> str:
    """The name under which the code imports tapelab."""
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.name in {"tapelab", "tensorflow"}:
                    return each.asname or each.name
    return "tf"
