"""The local slope of one step back, as a number for the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tapelab.engine.records import Dropped, Record

if TYPE_CHECKING:
    from tapelab.engine.op import Op


def local_slope(record: Record | None, position: int) -> Any:
    """The slope of an elementwise op for one input, where its numbers were kept; else None."""
    if record is None:
        return None
    _, _, _, origin, _, values, _, results, settings, _ = record
    op: Op = origin.op
    rule = op.rule(position)
    kept = not op.multi and type(results) is not Dropped and Dropped not in map(type, values)
    if rule is None or rule.function is None or not rule.facts.local or not kept:
        return None
    ones = np.ones(np.shape(results), results.dtype)[()]
    with np.errstate(all="ignore"):
        return rule.function(ones, results, *values, **settings)
