"""A gradient call: what a tape was asked, and what is kept of it for the recording."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tapelab.core.origin import LoggedTensor, Origin
from tapelab.core.step_report import StepReport
from tapelab.recording.facts import Method


@dataclass(eq=False, repr=False, slots=True)
class GradientCall:
    """One call of `gradient`, `jacobian` or `batch_jacobian`, or one that only a figure made.

    Of large results the shapes are kept; `result_ids` are -1 where there is no result.
    """

    serial: int
    origin: Origin
    method: Method
    zero: bool
    targets: tuple[LoggedTensor, ...]
    sources: tuple[LoggedTensor, ...]
    results: tuple[Any, ...] = ()
    result_ids: tuple[int, ...] = ()
    report: StepReport = field(default_factory=StepReport)
