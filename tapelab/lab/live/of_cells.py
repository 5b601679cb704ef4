"""The tape of each cell: the one that was asked last while the cell ran last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from tapelab.lab.live.shelf import MOST_BYTES, Kept
from tapelab.lab.running import RUNNING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tapelab.core.gradient_call import GradientCall
    from tapelab.core.tape import GradientTape

MOST_CELLS: Final = 100


class TapesOfCells:
    """What cells asked while somebody listened; those that ran longest ago make room."""

    def __init__(self) -> None:
        self._fresh: dict[str, tuple[int, Callable[[], GradientTape | None], GradientCall]] = {}
        self._kept: dict[str, tuple[int, Kept]] = {}

    def note(self, tape: Callable[[], Any], answer: GradientCall) -> None:
        """The cell that runs has asked a tape; it is kept at the next look."""
        if RUNNING.cell.id is not None:
            self._fresh[RUNNING.cell.id] = RUNNING.execution, tape, answer

    def keep(self) -> None:
        """Keep what was noted since the last look."""
        fresh, self._fresh = self._fresh, {}
        for cell, (execution, held, answer) in fresh.items():
            tape = held()
            if tape is not None and answer in tape._answers:
                self._kept.pop(cell, None)
                self._kept[cell] = execution, Kept(tape, answer)
        while len(self._kept) > MOST_CELLS or self._bytes() > MOST_BYTES:
            del self._kept[next(iter(self._kept))]

    def _bytes(self) -> int:
        return sum(kept.bytes for _, kept in self._kept.values())

    def of(self, cell: str) -> GradientTape | None:
        """What a cell asked last; None if it has run since then, or that tape is gone."""
        execution, kept = self._kept.get(cell, (0, None))
        current = execution == RUNNING.executions.get(cell)
        return kept.tape() if kept is not None and current else None

    def __iter__(self) -> Iterator[GradientTape]:
        """All that are there still."""
        tapes = [self.of(cell) for cell in tuple(self._kept)]
        return (tape for tape in tapes if tape is not None)
