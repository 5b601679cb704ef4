"""One page with every scene, made from what its cell records; nothing comes from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from html import escape
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest

import tapelab
from tapelab import locales
from tapelab.recording import Recording
from tapelab.views import html
from tapelab.widgets import sampler
from tapelab.widgets.show import why_missing
from tapelab.widgets.training_picture import TrainingPicture, training_of
from tapelab.widgets.what_if import WhatIf
from tests.fixtures.record import run_cell
from tests.ui.gallery import live
from tests.ui.gallery.scenes import RUNNING, SCENES, Scene, View

HERE: Final = Path(__file__).parent
PLENTY: Final = 1e6
"""Seconds in which every machine is done."""
_CONTAINER: Final = re.compile(r'<div class="tapelab".*?</script></div>', re.DOTALL)


def gallery() -> str:
    """The whole page."""
    scenes = "".join(map(_scene, SCENES))
    style, script = ((HERE / f"gallery.{end}").read_text("utf-8") for end in ("css", "js"))
    return (
        '<!doctype html>\n<html lang="en" data-theme="light"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>tapelab: gallery</title>'
        f"<style>{style}</style></head>\n<body>{_HEAD}<main>{scenes}</main>"
        f"<script>{html.bundle(*html.PARTS)}</script><script>{live.bundle()}</script>"
        f"<script>{script}</script></body></html>\n"
    )


_HEAD: Final = """<header><h1>The tapelab Explorer: gallery</h1>
<p>Every scene is made from a real recording. Blue is a value of the forward pass, orange a
gradient of the backward pass.</p>
<div class="switches" role="group" aria-label="How it is shown">
<button type="button" data-switch="dark" aria-pressed="false">Dark</button>
<button type="button" data-switch="forced" aria-pressed="false">Forced colours</button>
<button type="button" data-switch="rtl" aria-pressed="false">Right to left</button>
</div></header>"""


def _scene(scene: Scene) -> str:
    views = "".join(
        f'<div class="view" style="--width:{view.width}px" data-keys="{escape(view.keys)}">'
        f"{_shown(view, dedent(view.cell).strip() or scene.cell)}</div>"
        for view in scene.views
    )
    title = f"{scene.letter}. {scene.title}"
    return (
        f'<section id="{scene.letter}"><h2>{escape(title)}</h2><p>{escape(scene.note)}</p>'
        f'<div class="views">{views}</div></section>'
    )


def _shown(view: View, cell: str) -> str:
    """A tape as the Explorer shows it, sliders, a card, or the Tape panel."""
    if view.live:
        return live.place(live.message_after(cell) if view.live == RUNNING else None, view.step)
    thing = _left_by(cell, view.shows)
    if isinstance(thing, str):
        return thing
    with spoken(view.language):
        why = why_missing(thing) if view.why else None
        return html.container(thing, why, step=view.step)


@cache
def _left_by(cell: str, name: str) -> Recording | str:
    """What a cell leaves under a name, taken while there is the cell."""
    taken: list[Recording | str] = []
    with plenty_of_time():
        run_cell(cell, lambda space: taken.append(_taken(space[name])))
    return taken[0]


def _taken(thing: Any) -> Recording | str:
    """Of a tape its recording, of all else how it is shown."""
    if isinstance(thing, tapelab.GradientTape):
        return thing.recording()
    if (training := training_of(thing)) is not None:
        return TrainingPicture.of(training).container()
    if not isinstance(thing, WhatIf):
        return str(thing._repr_mimebundle_()["text/html"])
    found = _CONTAINER.search(thing.to_html())
    assert found is not None
    return found[0]


@contextmanager
def plenty_of_time() -> Iterator[None]:
    """Let sliders have as many moments on every machine, however fast it works them out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampler, "SECONDS", PLENTY)
        patch.setattr(sampler, "FRAME", PLENTY)
        yield


@contextmanager
def spoken(name: str) -> Iterator[None]:
    """Speak a language for a while, and leave no choice behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(locales.ENVIRONMENT, name)
        yield


def write(folder: Path) -> Path:
    """Write the page into a folder; returns where it is."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "index.html"
    file.write_text(gallery(), encoding="utf-8")
    return file
