"""What nodes and tensors of a graph are called: `add`, `add_1`, `Sum`, `scope/MatMul`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tapelab.engine.variable import name_scopes

BY_METHOD: Final = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__rsub__": "sub", "__mul__": "mul",
    "__rmul__": "mul", "__truediv__": "truediv", "__rtruediv__": "truediv",
    "__floordiv__": "floordiv", "__rfloordiv__": "floordiv", "__mod__": "mod", "__rmod__": "mod",
    "__pow__": "pow", "__rpow__": "pow", "__matmul__": "matmul", "__rmatmul__": "matmul",
    "__getitem__": "strided_slice", "tensor_item": "strided_slice",
    "variable_item": "strided_slice", "__and__": "and", "__or__": "or", "__xor__": "xor",
    "value": "ReadVariableOp", "read_value": "ReadVariableOp", "_assign": "AssignVariableOp",
}  # fmt: skip
"""Names of the operators and methods that go by another name in a graph."""
BY_FUNCTION: Final = {
    "zeros": "zeros", "ones": "ones", "range": "range", "constant": "Const", "concat": "concat",
    "convert_to_tensor": "Const", "stack": "stack", "transpose": "transpose", "split": "split",
    "zeros_like": "zeros_like", "ones_like": "ones_like", "one_hot": "one_hot", "fill": "Fill",
    "unstack": "unstack", "normal": "random_normal", "uniform": "random_uniform/RandomUniform",
    "where": "SelectV2", "gather": "GatherV2", "eye": "eye/diag", "norm": "norm/Squeeze",
    "truncated_normal": "truncated_normal", "print": "PrintV2", "shuffle": "RandomShuffle",
}  # fmt: skip
"""Names of the functions that go by another name than their op."""


def base_name(function: Callable[..., Any], kwargs: Any, last_op: str) -> str:
    """What a call is called: by its `name=`, else as TensorFlow calls such calls."""
    given = kwargs.get("name")
    if isinstance(given, str) and given:
        return given
    own = str(getattr(function, "__name__", "")) or str(getattr(function, "name", ""))
    named = BY_METHOD.get(own) or BY_FUNCTION.get(own)
    return named or last_op or own


class Names:
    """The names that are taken in a graph."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """The name under the present scope, numbered if it is taken."""
        whole = "/".join([*name_scopes, name])
        count = self._taken.get(whole, 0)
        self._taken[whole] = count + 1
        if not count:
            return whole
        numbered = f"{whole}_{count}"
        self._taken[numbered] = 1
        return numbered
