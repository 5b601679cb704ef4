"""Random draws inside a captured replay: the program repeats them at each call, in order.

The drawn values are parameters of the program. If a call turns out to belong to another program, or
fails, all random sequences are put back first, so that whatever runs the call instead draws the
same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from tapelab.compile.pytree import Tree
from tapelab.core.cell import Cell
from tapelab.core.log import origin_here, thread
from tapelab.core.observer import Observer
from tapelab.core.tensor import Tensor
from tapelab.random import seeds
from tapelab.random.streams import Make, Source

Place = tuple[int, int]
Draw = Callable[[], list[Any]]
"""Draws once more: tensors, arrays, or the place of a sequence."""


class Before(NamedTuple):
    """How things were that calls change: variables, generators, and the shared sequences."""

    cells: dict[int, tuple[Cell, Tensor]]
    places: dict[int, tuple[Source, Place]]
    shared: seeds.Mark

    def restore(self) -> None:
        """Put all of it back."""
        for cell, state in self.cells.values():
            cell.state = state
        for each, place in self.places.values():
            each._counter, each._key = place
        seeds.rewind(self.shared)


@dataclass(frozen=True)
class Draws:
    """The draws of a program, in order, and what they move on."""

    runs: tuple[Draw, ...] = ()
    count: int = 0
    cells: tuple[Cell, ...] = ()
    generators: tuple[Source, ...] = ()

    def drawn(self) -> list[Any]:
        """What is drawn for one call."""
        return [each for run in self.runs for each in run()]

    @contextmanager
    def unless_it_fails(self) -> Iterator[None]:
        """Put back what was drawn if the block ends with an error."""
        before = before_now(self.cells, self.generators)
        try:
            yield
        except BaseException:
            before.restore()
            raise


def before_now(cells: Iterable[Cell], generators: Iterable[Source]) -> Before:
    """How things are now."""
    states = {id(each): (each, each.state) for each in cells}
    places = {id(each): (each, (each._counter, each._key)) for each in generators}
    return Before(states, places, seeds.mark())


@dataclass(eq=False)
class Drawing:
    """What is drawn while a replay is captured."""

    made: list[tuple[Draw, list[Any]]] = field(default_factory=list)
    seeds: dict[int, Cell] = field(default_factory=dict)
    generators: dict[int, Source] = field(default_factory=dict)
    unusual: int = 0  # how often numbers were taken without a word of what was made of them
    _known: dict[int, tuple[Source, Callable[[], Source]]] = field(default_factory=dict)

    def sought(self, source: Source, request: tuple[Any, ...]) -> None:
        """Notice that somebody asks for one of the shared sequences."""
        self._known[id(source)] = source, partial(seeds.source, *request)

    def took(self, source: Source, steps: int, make: Make, result: Tree) -> None:
        """Notice a draw, unless it follows from seeds alone."""
        self.unusual -= 1
        if type(source) is not Source:
            self.generators[id(source)] = source
        elif id(source) not in self._known:
            return
        find = self._known.get(id(source), (source, lambda: source))[1]
        again = partial(_again, find, steps, make, origin_here())
        self.made.append((again, [result]))

    def finished(self) -> Draws:
        """The draws of the program."""
        runs = tuple([run for run, _ in self.made])
        count = sum(len(tensors) for _, tensors in self.made)
        return Draws(runs, count, tuple(self.seeds.values()), tuple(self.generators.values()))


class WholeDraw(Observer):
    """Notices which seeds and generators move while a call is drawn as a whole."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing

    def assigning(self, cell: Cell) -> None:
        """A seed that is kept in a variable."""
        self._drawing.seeds[id(cell)] = cell

    def advanced(self, source: Source) -> None:
        """A generator with a state of its own."""
        if type(source) is not Source:
            self._drawing.generators[id(source)] = source


class Undo(Observer):
    """Remembers how variables and generators were before they changed."""

    def __init__(self, before: Before) -> None:
        self._before = before

    def assigning(self, cell: Cell) -> None:
        """Remember the state of a variable."""
        self._before.cells.setdefault(id(cell), (cell, cell.state))

    def advanced(self, source: Source) -> None:
        """Remember the place of a sequence."""
        self._before.places.setdefault(id(source), (source, (source._counter, source._key)))


def _again(find: Callable[[], Source], steps: int, make: Make, origin: Any) -> list[Any]:
    """Draw once more, at the line that drew when the replay was captured."""
    before, thread.fixed_origin = thread.fixed_origin, origin
    try:
        return [find()._made(steps, make)]
    finally:
        thread.fixed_origin = before
