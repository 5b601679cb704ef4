"""A run: the gradient calls of one cell, with their losses, the norms of gradients, and tapes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from tapelab.lab.live.tape_statistics import Carried, brief, carried, loss, norm
from tapelab.lab.live.tape_store import RateLimit, TapeStore
from tapelab.lab.notebook_cells import RUNNING
from tapelab.locales import say, sentence
from tapelab.recorder.interning import Spans, place_of
from tapelab.recording.source import extent_of

if TYPE_CHECKING:
    from tapelab.core.origin import LoggedTensor, Origin

T = TypeVar("T")
Where = tuple[str | None, int | None]
"""The id of a cell, and a line in it."""
PLAIN: str = "Variable"
"""The name of variables without one."""
MOST_VARIABLES: Final = 32
MOST_FINDINGS: Final = 8
ROWS: Final = 1_000
"""So many steps of a run are remembered for curves."""
FRESH: Final = 2_000
"""At most this many calls wait to be measured."""
AT_ONCE: Final = 200
A_SECOND: Final = 160
"""So many calls are measured at once, and then so many a second; others are passed over."""
FOUND: Final = {"none": "NONE", "nan": "NAN", "zero": "ZERO"}
SAID: Final = {
    "none": sentence("{gradient} is None"),
    "nan": sentence("{gradient} is not finite"),
    "zero": sentence("{gradient} is 0 everywhere"),
}
Row = tuple[int, Carried, list[Carried], int]
"""A step, its loss, the norms in the order of the variables, and the number of its call site."""


class Places:
    """Looked up once and kept, for the same lines run again and again."""

    def __init__(self) -> None:
        self._spans = Spans()

    def where(self, origin: Origin | None) -> Where:
        """The cell and the line of something that was made."""
        if origin is None:
            return None, None
        code, instruction = place_of(origin)
        cell = RUNNING.cell_of(code.co_filename)
        return cell.id, extent_of(code, instruction)[0] + cell.blank

    def name(self, end: LoggedTensor) -> str:
        """What a target or a source is called; empty if it has no name."""
        owner = end.owner
        if owner is not None and owner.name.rsplit("/", 1)[-1] != PLAIN:
            return owner.name
        origin = end.origin if owner is None else owner.origin
        return self._spans.name(self._spans.of_origin(origin)) or (PLAIN if owner else "")

    def tape(self, origin: Origin) -> str:
        """What the code calls a tape."""
        return self._spans.tape(self._spans.of_origin(origin))


class Call(NamedTuple):
    """One gradient call, without its tape; large results are not kept."""

    step: int
    question: int
    origin: Origin
    targets: tuple[LoggedTensor, ...]
    sources: tuple[LoggedTensor, ...]
    results: tuple[Any, ...]


@dataclass(slots=True)
class Track:
    """A variable, and how its gradient is at present."""

    name: str
    seen: LoggedTensor
    where: Where
    shown: Any = None
    norm: float | None = None
    state: str = "pending"

    def facts(self) -> dict[str, Any]:
        """The variable as the panel takes it."""
        owner, value = self.seen.owner, self.seen.value
        dtype = value.dtype.name if owner is None else owner.dtype.name
        return {
            "name": self.name,
            "shape": list(value.shape),
            "dtype": "string" if dtype == "object" else dtype,
            "value": brief(value, dtype),
            "norm": carried(self.norm),
            "state": self.state,
            "line": self.where[1],
            "cell": self.where[0],
            "trainable": owner is None or owner.trainable,
        }


@dataclass(eq=False)
class Run:
    """What the gradient calls of a cell came to; it goes on where the cell runs again."""

    number: int
    execution: int
    places: Places = field(default_factory=Places)
    step: int = 0
    counted: int = 0  # those of compiled functions, which are not observed
    questions: dict[Any, int] = field(default_factory=dict)
    fresh: deque[Call] = field(default_factory=lambda: deque(maxlen=FRESH))
    rows: list[Row] = field(default_factory=list)
    epochs: list[int] = field(default_factory=list)  # of `fit`: the first step of each
    tapes: TapeStore = field(default_factory=TapeStore)
    allowance: RateLimit = field(default_factory=lambda: RateLimit(AT_ONCE, A_SECOND))
    tracks: dict[Any, Track] = field(default_factory=dict)
    more: set[Any] = field(default_factory=set)
    target: str = ""
    loss: Carried = None
    findings: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def count(self, steps: int) -> None:
        """Count steps that were not observed."""
        self.step += steps
        self.counted += steps

    def measure(self, calls: list[Call], results: Sequence[Any]) -> None:
        """Add rows for calls; of the last of them, all results are given in full."""
        for call in thinned(calls, max(1, self.allowance.take(len(calls)))):
            self._measure(call, results if call is calls[-1] else call.results)
        self.target = self._target(calls[-1])
        if len(self.rows) > ROWS:  # the newest stays
            self.rows = self.rows[(len(self.rows) - 1) % 2 :: 2]

    def _measure(self, call: Call, results: Sequence[Any]) -> None:
        norms: dict[Any, Carried] = {}
        for key, source, result in zip(keys_of(call.sources), call.sources, results, strict=False):
            track = self.track(key, source)
            if track is not None:
                track.norm = norm(result)
                track.seen, track.state = source, state_of(result, track.norm)
                norms[key] = "none" if result is None else carried(track.norm)
        self.loss = carried(loss([each.value for each in call.targets]))
        self.rows.append((call.step, self.loss, list(map(norms.get, self.tracks)), call.question))
        for key in norms:
            track = self.tracks[key]
            if self.findings or track.state in FOUND:
                self._find(call, track)

    def _target(self, call: Call) -> str:
        return " + ".join(filter(None, map(self.places.name, call.targets)))

    def track(self, key: Hashable, source: LoggedTensor) -> Track | None:
        """What is known of a source; None for one too many."""
        known = self.tracks.get(key)
        if known is None:
            if len(self.tracks) >= MOST_VARIABLES:
                self.more.add(key)
                return None
            origin = source.origin if source.owner is None else source.owner.origin
            name = self._unique(self.places.name(source) or f"#{len(self.tracks) + 1}")
            known = self.tracks[key] = Track(name, source, self.places.where(origin))
        return known

    def _unique(self, name: str) -> str:
        taken = {track.name for track in self.tracks.values()}
        names = (name, *(f"{name} ({number})" for number in range(2, MOST_VARIABLES + 2)))
        return next(each for each in names if each not in taken)

    def _find(self, call: Call, track: Track) -> None:
        """Note whether a gradient looks wrong now, or no longer does."""
        for state, code in FOUND.items():
            about = code, track.name
            if about in self.findings:
                self.findings[about]["now"] = state == track.state
            elif state == track.state:
                cell, line = self.places.where(call.origin)
                title = say(SAID[state], gradient=f"d{self._target(call)}/d{track.name}")
                finding = {"code": code, "title": title, "source": track.name, "line": line}
                self.findings[about] = {**finding, "cell": cell, "step": call.step, "now": True}
                self.tapes.pin(call.step)


def keys_of(sources: tuple[LoggedTensor, ...]) -> tuple[Any, ...]:
    """The keys of sources from call to call: of a tensor, where it was created."""
    counts: Counter[Any] = Counter()
    return tuple(
        [each.owner.id if each.owner is not None else _place(each, counts) for each in sources]
    )


def _place(end: LoggedTensor, counts: Counter[Any]) -> tuple[Any, ...]:
    """Where a tensor was made, and how many were made there before."""
    place = (end.origin.code.co_filename, end.origin.instruction) if end.origin else ()
    counts[place] += 1
    return (*place, counts[place])


def question_of(origin: Origin, sources: tuple[LoggedTensor, ...]) -> Any:
    """The key of a gradient call: where it stands, and its sources."""
    return origin.code.co_filename, origin.code.co_name, origin.instruction, keys_of(sources)


def state_of(result: object, length: float | None) -> str:
    """How a gradient looks, in a word."""
    if result is None:
        return "none"
    if length is None:
        return "gradient"
    if not length < float("inf"):
        return "nan"
    return "gradient" if length else "zero"


def thinned(things: Iterable[T], most: int) -> list[T]:
    """So many of them, evenly chosen; the last is never left out."""
    many = list(things)
    step = -(-len(many) // most) or 1
    return many[(len(many) - 1) % step :: step] if many else []
