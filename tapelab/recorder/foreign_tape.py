"""What `tf.show` and `tf.explain` take in place of a tape: the record of a foreign program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

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
