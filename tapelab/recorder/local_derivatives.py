"""The local derivative of one backward step, with its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.records import Dropped, OpRun


def local_derivative(run: OpRun | None, position: int) -> Any:
    """The derivative of an elementwise op by one input, where its values were kept; else None."""
    if run is None:
        return None
    op, values, results = run.op, run.inputs, run.results
    rule = op.rule(position)
    kept = not op.multi and type(results) is not Dropped and Dropped not in map(type, values)
    if rule is None or rule.function is None or not rule.facts.local or not kept:
        return None
    ones = np.ones(np.shape(results), results.dtype)[()]
    with np.errstate(all="ignore"):
        return rule.function(ones, results, *values, **run.settings)
