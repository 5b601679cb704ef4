"""The messages that the Tape panel gets while a cell runs, made by the kernel's own side of it."""

from __future__ import annotations

import json
from typing import Any, Final

from tapelab.lab.live.panel_state import Scene
from tests.fixtures.record import run_cell
from tools import node

OFTEN: Final = 1e9
"""Calls a second that are kept: all."""
_BUNDLE: Final = """
import { bundle } from './bundle.mjs';
const built = await bundle({ entryPoints: ['test/gallery.ts'], write: false, format: 'iife' });
process.stdout.write(built.outputFiles[0].text);
"""


def message_after(cell: str) -> dict[str, Any]:
    """Run a cell; what a panel knows at the end of it, as if it went on."""
    scene = Scene()
    message: dict[str, Any] = {}

    def look(_: dict[str, Any]) -> None:
        message.update(scene.frame(), history=scene.history.run.rows, running=True)

    scene.history.listen(most=100, rate=OFTEN)
    try:
        run_cell(cell, look)
    finally:
        scene.history.stop()
    return message


def place(message: dict[str, Any] | None, step: int | None) -> str:
    """The element that the panel is drawn in; `step` is one to look back at."""
    data = json.dumps(message).replace("<", "\\u003c")
    return (
        f'<div class="live" data-step="{step or ""}">'
        f'<script type="application/json">{data}</script></div>'
    )


def bundle() -> str:
    """The panel as one script."""
    node.ensure_packages()
    return node.output("--input-type=module", "--eval", _BUNDLE)
