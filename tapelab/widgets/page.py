"""A recording as the page that an output of a notebook holds, with or without a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import uuid4

from tapelab.diagnosis import Explanation
from tapelab.recording import Recording
from tapelab.views import rich


@dataclass(frozen=True, eq=False)
class Page:
    """A recording, what explains its gradient, and the step at which to begin."""

    recording: Recording
    explanation: Explanation | None = None
    step: int | None = None
    predict: bool = False

    @cached_property
    def identity(self) -> str:
        """What the page in an output is called, so that a live widget finds it."""
        return f"tapelab-{uuid4().hex[:12]}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return rich.mimebundle(
            self.recording,
            self.explanation,
            step=self.step,
            predict=self.predict,
            identity=self.identity,
        )
