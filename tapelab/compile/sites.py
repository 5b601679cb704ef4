"""Calling a function from where the learner wrote the call.

At replay the learner's code is not running, yet pictures, explanations and tracebacks speak of its
lines. So each call goes through a tiny function that was compiled under the learner's file name and
at the learner's position: whoever looks for the line finds it there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from types import CodeType
from typing import Any

Site = Callable[[Callable[..., Any], Any, Any], Any]


def site(code: CodeType, instruction: int) -> Site:
    """A function `call(function, args, kwargs)` that stands where an instruction stands."""
    return _site(code, instruction, code.co_filename)


@lru_cache(maxsize=4096)
def _site(code: CodeType, instruction: int, file: str) -> Site:
    """The same; cells with the same text have code that is equal, under other file names."""
    place = next(islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    line, end_line, column, end_column = place
    program = ast.parse("def call(function, args, kwargs): return function(*args, **kwargs)")
    node: Any
    for node in ast.walk(program):
        if hasattr(node, "lineno"):
            node.lineno = line or code.co_firstlineno
            node.end_lineno = end_line or node.lineno
            node.col_offset, node.end_col_offset = column or 0, end_column or 0
    names: dict[str, Any] = {"__name__": "__replay__"}
    exec(compile(program, file, "exec"), names)  # noqa: S102 - our own six words
    call: Any = names["call"]
    call.__code__ = call.__code__.replace(co_name=code.co_name)
    made: Site = call
    return made
