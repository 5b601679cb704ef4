"""What a notebook cell shows: which front-end runs it, and the page that its output holds.

Every rich output is a page that needs no kernel. A live widget finds the page by its `identity`
and takes its place for as long as the kernel answers; a reopened notebook shows the page again.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from uuid import uuid4
from weakref import WeakKeyDictionary

from tapelab.diagnosis import Explanation
from tapelab.recording import Recording
from tapelab.views import explanation_card

TERMINAL: Final = "TerminalInteractiveShell"
"""What IPython calls its shell in a terminal."""
_drawn: Final[WeakKeyDictionary[object, int]] = WeakKeyDictionary()
"""The number of the cell that showed each object last."""


def first_in_cell(shown: object) -> bool:
    """Whether the running cell has not shown something yet; from now on it has."""
    cell, last = shell().execution_count, _drawn.get(shown)
    _drawn[shown] = cell
    return bool(last != cell)


def in_marimo() -> bool:
    """Whether a notebook of marimo runs this, which shows what a cell ends in by itself."""
    marimo = sys.modules.get("marimo")
    return marimo is not None and bool(marimo.running_in_notebook())


def in_terminal() -> bool:
    """Whether the running IPython shell is one in a terminal, which shows text alone."""
    return type(shell()).__name__ == TERMINAL


def shell() -> Any:
    """The running IPython shell, without importing IPython where it is not."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def asks_for_views() -> bool:
    """Whether this front-end runs a widget only where an output holds it: VS Code and Colab do."""
    return "google.colab" in sys.modules or "__vsc_ipynb_file__" in vars(sys.modules["__main__"])


class Shown:
    """Something that stands in an output, under a name by which a live widget finds it there."""

    @cached_property
    def identity(self) -> str:
        """The name of its page in the output, unique in the notebook."""
        return f"tapelab-{uuid4().hex[:12]}"

    def _repr_mimebundle_(self, **options: object) -> dict[str, str]:
        """The page and its text, by MIME type."""
        raise NotImplementedError

    def _ipython_display_(self) -> None:
        """Show it, unless the running cell has shown it already."""
        from IPython.display import publish_display_data

        if first_in_cell(self):
            publish_display_data(self._repr_mimebundle_())


@dataclass(frozen=True, eq=False)
class Page(Shown):
    """A recording, what explains its gradient, and the step at which to begin."""

    recording: Recording
    explanation: Explanation | None = None
    step: int | None = None
    predict: bool = False

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return explanation_card.mimebundle(
            self.recording,
            self.explanation,
            step=self.step,
            predict=self.predict,
            identity=self.identity,
        )
