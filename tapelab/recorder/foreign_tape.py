"""What `tf.show` and `tf.explain` take in place of a tape: the record of a foreign program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from tapelab.core.log import thread

if TYPE_CHECKING:
    from tapelab.recorder.introspection import Introspection
    from tapelab.recording import Recording


class ForeignTape(ABC):
    """Records a program of another framework; one subclass for each framework."""

    @abstractmethod
    def recording(self, target: Any = None, source: Any = None) -> Recording:
        """What happened, up to the backward pass of a target, if one is given."""

    @abstractmethod
    def ends(self, target: Any, source: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The numbers of the targets and the sources in the recording."""

    def introspect(self, target: Any, source: Any) -> Introspection | None:
        """A recording with a gradient call from targets to sources; None without such calls."""
        return None


_LATEST: Final[list[tuple[ref[ForeignTape], int]]] = []


def remember(tape: ForeignTape) -> None:
    """Note a tape as the latest, with the gradient call of tapelab's own that came before it."""
    _LATEST[:] = [(ref(tape), _last_serial())]


def latest_foreign_tape() -> ForeignTape | None:
    """The tape that was opened last, unless tapelab itself computed a gradient since."""
    for tape, serial in _LATEST:
        if serial == _last_serial():
            return tape()
    return None


def _last_serial() -> int:
    return thread.recent_calls[-1][1] if thread.recent_calls else 0
