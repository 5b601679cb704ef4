"""The forms in which pictures and explanations travel: HTML that needs no kernel, plain text."""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from tapelab.locales import say
from tapelab.recording import Recording
from tapelab.views import html, text_view
from tapelab.views.broken_path import cut_graph
from tapelab.views.card import card, prose

if TYPE_CHECKING:
    from tapelab.diagnosis.finding import Explanation, Finding, Where
    from tapelab.recording.schema import Source

MARGIN: Final = 4
"""So many lines of code before and behind the culprit."""


def mimebundle(
    recording: Recording,
    explanation: Any = None,
    *,
    step: int | None = None,
    predict: bool = False,
    identity: str = "",
) -> dict[str, str]:
    """The picture as text/html and text/plain, for `_repr_mimebundle_`."""
    return {
        "text/html": html.frame(
            recording, explanation, step=step, predict=predict, identity=identity
        ),
        "text/plain": text_view.picture(recording, step=step, explanation=explanation),
    }


def explanation_html(explanation: Explanation) -> str:
    """An explanation as a card: for each finding the code, the cut, and the line to write."""
    none = not (explanation.connected or explanation.partial)
    chip = '<span class="chip">None</span>' if none else ""
    head = f'<div class="head"><h3>{prose(explanation.headline)}</h3>{chip}</div>'
    findings = "".join(
        _said_again(each) if _is_the_same_line(before, each) else finding_html(each, explanation)
        for before, each in pairwise((None, *explanation.findings))
        if each
    )
    return card(explanation.headline.replace("`", ""), head + findings)


def _is_the_same_line(before: Finding | None, finding: Finding) -> bool:
    """Whether a finding of another source shows the code and the fix that stand above it."""
    if before is None or finding.where is None:
        return False
    return (before.where, before.fix) == (finding.where, finding.fix)


def _said_again(finding: Finding) -> str:
    """What a finding says, without the code above it."""
    said = f"<h3>{prose(finding.title)}</h3><p>{prose(finding.message)}</p>"
    return f'<div class="finding" data-code="{finding.code}"><div class="say">{said}</div></div>'


def finding_html(finding: Finding, explanation: Explanation | None) -> str:
    """A finding: its code with the culprit underlined, the sentences, the cut and the fix."""
    recording = explanation.recording if explanation else None
    code = _code(recording, finding.where) if recording else ""
    graph = cut_graph(recording, explanation, finding) if recording and explanation else ""
    said = f"<h3>{prose(finding.title)}</h3><p>{prose(finding.message)}</p>"
    steps = "".join(
        f"<li><span>{escape(say('line {line}', line=step.line))}</span>"
        f"<span>{prose(step.text)}</span></li>"
        for step in finding.steps
    )
    return (
        f'<div class="finding" data-code="{finding.code}">{code}{graph}<div class="say">{said}'
        f"{_fix(finding)}{f'<ol>{steps}</ol>' if steps else ''}</div></div>"
    )


def _fix(finding: Finding) -> str:
    if finding.fix is None:
        return ""
    rows = [
        f'<div class="{look}">{sign} {escape(line)}</div>'
        for look, sign, lines in (
            ("del", "−", finding.fix.before),
            ("ins", "+", finding.fix.after),
        )
        for line in lines.split("\n")
    ]
    return f'<h4>{say("Write instead:")}</h4><div class="diff" dir="ltr">{"".join(rows)}</div>'


def _code(recording: Recording, where: Where | None) -> str:
    """The lines around the culprit, which is underlined."""
    if where is None or not recording.sources[where.source].text:
        return ""
    source = recording.sources[where.source]
    last = source.first_line + source.text.count("\n")
    first = max(source.first_line, where.line - MARGIN)
    end = min(last, where.end_line + MARGIN)
    rows = [_row(source, number, where) for number in range(first, end + 1)]
    return f'<pre dir="ltr" tabindex="0">{"".join(rows)}</pre>'


def _row(source: Source, number: int, where: Where) -> str:
    line = source.line(number)
    at, inside = "", escape(line, quote=False)
    if where.line <= number <= where.end_line:
        start, end = where.columns_in(line, number)
        marked = f"<u>{escape(line[start:end], quote=False)}</u>" if end > start else ""
        inside = escape(line[:start], quote=False) + marked + escape(line[end:], quote=False)
        at = " at"
    return f'<span class="row{at}"><i>{number}</i>{inside}</span>'
