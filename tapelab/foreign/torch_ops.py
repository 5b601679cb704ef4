"""PyTorch's functions in the words of a recording: names, formulas, exits and what is no op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import torch
from torch import Tensor
from torch.overrides import resolve_name

import tapelab.ops  # noqa: F401 - registers the ops
from tapelab.core import op as core_op
from tapelab.recording.op_facts import OpFacts

EXITS: Final[dict[Any, str]] = {
    Tensor.item: "item()",
    Tensor.tolist: "tolist()",
    Tensor.numpy: "numpy()",
    Tensor.__array__: "np.asarray",
    Tensor.__float__: "float()",
    Tensor.__int__: "int()",
    Tensor.__bool__: "bool()",
    Tensor.__complex__: "complex()",
    Tensor.__index__: "index",
}
"""Methods with which a value leaves PyTorch, as the code spells them."""

CREATORS: Final[dict[Any, str]] = {
    torch.tensor: "torch.tensor",
    torch.as_tensor: "torch.as_tensor",
    torch.from_numpy: "torch.from_numpy",
    torch.scalar_tensor: "torch.scalar_tensor",
    Tensor.new_tensor: "new_tensor",
}
"""Functions that copy a value of Python or NumPy into a tensor."""

COPIERS: Final[frozenset[Any]] = frozenset({torch.tensor, Tensor.new_tensor})
"""Functions that copy a tensor, without its history."""

STOPS: Final[frozenset[Any]] = COPIERS | {
    Tensor.detach, torch.detach, Tensor.data.__get__, Tensor.detach_,
}  # fmt: skip
"""Functions whose result has the value but not the history."""

VIEWS: Final = tuple(
    getattr(Tensor, name).__get__ for name in ("T", "H", "mT", "mH", "real", "imag")
)
"""Properties that are ops."""

SAME_OP: Final = {
    "mul": "multiply", "imul": "multiply", "rmul": "multiply",
    "iadd": "add", "radd": "add", "sub": "subtract", "isub": "subtract", "rsub": "subtract",
    "div": "divide", "truediv": "divide", "true_divide": "divide", "rtruediv": "divide",
    "itruediv": "divide", "rdiv": "divide", "idiv": "divide", "neg": "negative",
    "rpow": "pow", "ipow": "pow", "mm": "matmul", "bmm": "matmul", "rmatmul": "matmul",
    "sum": "reduce_sum", "mean": "reduce_mean", "amax": "reduce_max", "amin": "reduce_min",
    "prod": "reduce_prod", "logsumexp": "reduce_logsumexp", "absolute": "abs",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "log_softmax": "log_softmax",
    "view": "reshape", "flatten": "reshape", "ravel": "reshape", "t": "transpose",
    "permute": "transpose", "unsqueeze": "expand_dims", "where": "where", "expand": "broadcast_to",
    "detach": "stop_gradient", "data": "stop_gradient", "tensor": "stop_gradient",
    "new_tensor": "stop_gradient", "getitem": "strided_slice",
    "clamp": "clip_by_value", "clip": "clip_by_value", "cholesky": "cholesky", "inv": "inverse",
    "det": "determinant", "gt": "greater", "lt": "less", "ge": "greater_equal", "le": "less_equal",
    "eq": "equal", "ne": "not_equal", "float": "cast", "double": "cast", "half": "cast",
    "long": "cast", "int": "cast", "type": "cast", "relu": "relu", "trunc": "trunc",
}  # fmt: skip
"""PyTorch's names of ops that tapelab calls otherwise."""

SWAPPED: Final = frozenset({"rsub", "rtruediv", "rdiv", "rpow", "rmatmul"})
"""Methods whose first operand is the second of the op."""

BINARY: Final = frozenset({"add", "subtract", "multiply", "divide", "pow", "maximum", "minimum"})
"""Ops of two operands, of which one may be a number."""


def name_of(function: Callable[..., Any]) -> str:
    """What PyTorch calls a function, without underscores: `mul` for `Tensor.__mul__`."""
    name: str = resolve_name(function) or getattr(function, "__name__", "function")
    parts = [part for part in name.split(".") if part != "__get__"]
    return parts[-1].strip("_") or parts[-1]


def facts_of(name: str, inputs: int) -> OpFacts | str:
    """What is known of an op: tapelab's facts where it has the same with as many inputs."""
    known = core_op.REGISTRY.get(SAME_OP.get(name, name))
    if known is None:
        return name
    facts: OpFacts = known.facts()
    return facts if len(facts.inputs) == inputs else known.name


def is_elementwise(facts: OpFacts | str) -> bool:
    """Whether each input of an op has a local derivative for each element."""
    return not isinstance(facts, str) and all(rule.local for rule in facts.rules)
