"""The HTML page of reports and feedback, one file without dependencies; words for statuses."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from tapelab.grading.result import Status, Visibility
from tapelab.locales import language, sentence, translated
from tapelab.views.card import direction

_PAGE: Final = """<!DOCTYPE html>
<html lang="{language}" dir="{direction}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style>{style}</style></head><body><main>
<h1><bdi>{title}</bdi></h1>
{body}
</main></body></html>
"""
_STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem; }
main { max-width: 60rem; margin: auto; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: start; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: right; }
figure { margin: 1rem 0; overflow-x: auto; background: #fff; border-radius: .5rem; }
figure img { display: block; max-width: 100%; height: auto; margin: auto; padding: .5rem; }
figcaption { color: #444; padding: .2rem .8rem .5rem; font-size: .9rem; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2rem 0; }
ul.checks { list-style: none; padding: 0; }
ul.checks > li { padding-block: .4rem; padding-inline-start: 1.8rem;
  border-bottom: 1px solid var(--line); position: relative; }
ul.checks > li::before { content: attr(data-sign); position: absolute; inset-inline-start: .3rem; }
dl.values { display: grid; grid-template-columns: max-content 1fr; gap: 0 .8rem; margin: .2rem 0; }
dl.values dt { opacity: .8; } dl.values dd { margin: 0; overflow-wrap: anywhere;
  white-space: pre-wrap; }
ul.hints { list-style: none; margin: .6rem 0; padding: .3rem 1rem;
  border-inline-start: .25rem solid #e69f00; background: var(--soft); }
blockquote { margin: .6rem 0; padding: .2rem 1rem; border-inline-start: .25rem solid #0072b2;
  background: var(--soft); white-space: pre-wrap; }
.soft { opacity: .8; }
@media print { body { margin: 0; } figure { break-inside: avoid; } }
"""


def page(title: str, body: Iterable[str]) -> str:
    """A whole page; the body is HTML already, the title is not."""
    return _PAGE.format(
        title=escape(title), style=_STYLE, body="\n".join(body), language=language(),
        direction=direction(),
    )  # fmt: skip


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; what is a number stands to the end of its column."""
    kept = list(rows)
    numeric = [bool(kept) and all(isinstance(r[i], int | float) for r in kept)
               for i in range(len(columns))]  # fmt: skip
    kinds = [' class="number"' if each else "" for each in numeric]
    head = "".join(f"<th{kind}>{escape(c)}</th>" for c, kind in zip(columns, kinds, strict=True))
    lines = (
        "".join(f"<td{kind}>{cell_text(v)}</td>" for v, kind in zip(row, kinds, strict=True))
        for row in kept
    )
    return f"<table><tr>{head}</tr>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def cell_text(value: object) -> str:
    """A value as HTML text."""
    return escape(f"{value:.4g}" if isinstance(value, float) else str(value))


def picture(svg: str, caption: str, alternative: str = "") -> str:
    """A drawing in the page; as an image it can run no script and its style stays its own."""
    data = base64.b64encode(svg.encode()).decode()
    return (
        f'<figure><img alt="{escape(alternative or caption)}" '
        f'src="data:image/svg+xml;base64,{data}"><figcaption>{escape(caption)}</figcaption></figure>'
    )


SIGNS: Final = {Status.PASSED: "✓", Status.PARTIAL: "◐", Status.UNSOLVED: "○", Status.WAITING: "…"}
WORDS: Final[dict[str, str]] = {
    Status.PASSED: sentence("passed"),
    Status.PARTIAL: sentence("in part"),
    Status.FAILED: sentence("not passed"),
    Status.UNSOLVED: sentence("not begun"),
    Status.WAITING: sentence("waits for a person"),
    Status.RAISED: sentence("stopped with an error"),
    Status.TIMEOUT: sentence("took too long"),
    Status.MEMORY: sentence("needed too much memory"),
    Status.CRASHED: sentence("its process ended"),
    Status.OUTPUT: sentence("sent back too much"),
    Status.REFUSED: sentence("not to be believed"),
    Status.BROKEN: sentence("the check itself failed"),
    Visibility.PUBLIC: sentence("public"),
    Visibility.HIDDEN: sentence("hidden"),
    Visibility.PRIVATE: sentence("private"),
}
"""How a check ended, and who sees it."""


def sign(status: str) -> str:
    """How a check ended, as one sign."""
    return SIGNS.get(Status(status), "×")


def status_word(status: str) -> str:
    """How a check ended, or who sees it, in words."""
    return translated(WORDS[status])
