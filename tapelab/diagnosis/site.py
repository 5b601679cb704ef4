"""The place in the user's code that a finding points at, and the words its sentences share.

Sentences name the same things by the same fields: `{text}` is what is written at the place,
`{line}` its line, `{source}` and `{target}` are the ends of the gradient call, `{tape}` is the name
of the tape. `Site.say` fills in those that a sentence uses, so a detector passes only values of its
own. `Site.finding` adds the place and, by default, the event as evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import TYPE_CHECKING, Any, Final

from tapelab.diagnosis.descriptions import (
    is_training_call,
    name_of,
    paragraph,
    say,
    say_many,
    text_at,
    text_of,
)
from tapelab.diagnosis.finding import Finding, Fix, Step
from tapelab.diagnosis.tape_block import tape_name

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.source_code import Extent


@dataclass(frozen=True)
class Site:
    """What is written at a span of a recording, and the event that happened there, if one did.

    `part` is what to underline, where that is not the whole span. `values` are further fields that
    several sentences about the place use.
    """

    case: Case
    span: int
    text: str
    event: int = -1
    part: Extent | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def line(self) -> int:
        """The line of the place; 0 where it is not known."""
        return self.case.codes.line(self.span)

    def say(self, template: str, /, **values: Any) -> str:
        """A sentence in the chosen language; the shared fields need no value."""
        return say(template, **self._shared(template, values))

    def say_many(self, one: str, many: str, count: int, /, **values: Any) -> str:
        """A sentence about so many things; the shared fields need no value."""
        return say_many(one, many, count, **self._shared(many, values))

    def step(self, template: str, /, **values: Any) -> Step:
        """Something that happened in this line."""
        return Step(self.line, self.say(template, **values))

    def finding(
        self, code: str, title: str, *sentences: str, fix: Fix | None = None,
        evidence: tuple[int, ...] | None = None, steps: tuple[Step, ...] = (),
    ) -> Finding:  # fmt: skip
        """A finding at this place, with its message as sentences; empty ones are left out.

        `fix` is None where no single line repairs the program, and left out where the op ran inside
        of `fit`: the line there is not the op. The evidence is the event of the
        place, unless other events are given.
        """
        if evidence is None:
            evidence = (self.event,) if self.event >= 0 else ()
        if is_training_call(self.case, self.span):
            fix = None
        where, message = self.case.codes.where(self.span, self.part), paragraph(*sentences)
        return Finding(code, title, message, where, fix, evidence, steps)

    def _shared(self, template: str, values: dict[str, Any]) -> dict[str, Any]:
        """The values of a sentence, with the shared fields that it names."""
        named = {name for _, name, _, _ in Formatter().parse(template) if name in SHARED}
        return {name: SHARED[name](self) for name in named} | {**self.values, **values}


SHARED: Final[dict[str, Callable[[Site], str | int]]] = {
    "text": lambda site: site.text,
    "line": lambda site: site.line,
    "source": lambda site: name_of(site.case, site.case.source),
    "target": lambda site: name_of(site.case, site.case.target),
    "tape": lambda site: tape_name(site.case),
}
"""The fields that have the same meaning in all sentences of findings."""


def site_of(case: Case, event: int, otherwise: str = "", /, **values: Any) -> Site:
    """Where an event happened; its text is what to say `otherwise` where none is known.

    `values` are further fields that several sentences about the place use.
    """
    span = case.recording.event_spans[event]
    return Site(case, span, text_at(case, event, otherwise), event, values=values)


def site_at(case: Case, span: int, otherwise: str = "", /, **values: Any) -> Site:
    """A span of the recording, without an event; see `site_of`."""
    return Site(case, span, text_of(case, span) or otherwise, values=values)
