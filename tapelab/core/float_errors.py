"""NumPy's state of floating-point errors (overflow, division by 0), for code that runs often.

`np.errstate` is three calls of Python, 1.3 µs; a backward pass over a few ops takes ten times that
(`start_gradient` and `third` of benchmarks/). NumPy keeps the state in a context variable, so it is
enough to set that: `token = ERRORS.set(IGNORED)`, and `ERRORS.reset(token)` in the end.
"""

from __future__ import annotations

from contextvars import ContextVar, copy_context
from typing import Any

import numpy as np


def _where_ignored() -> tuple[ContextVar[Any], Any]:
    """The variable that `np.seterr` sets in a context, and its value where all is ignored."""
    before, context = copy_context(), copy_context()
    context.run(np.seterr, all="ignore")
    changed = [each for each in context.items() if before.get(each[0]) is not each[1]]
    ((variable, value),) = changed
    return variable, value


ERRORS, IGNORED = _where_ignored()
