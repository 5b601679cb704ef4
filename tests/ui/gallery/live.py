"""What the Tape panel is told while a cell runs, made by the kernel's own side of it."""

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


def told_by(cell: str) -> dict[str, Any]:
    """Run a cell; what a panel knows at the end of it, as if it went on."""
    scene = Scene()
    told: dict[str, Any] = {}

    def look(_: dict[str, Any]) -> None:
        told.update(scene.frame(), history=scene.history.run.rows, running=True)

    scene.history.listen(most=100, rate=OFTEN)
    try:
        run_cell(cell, look)
    finally:
        scene.history.stop()
    return told


def place(told: dict[str, Any] | None, step: int | None) -> str:
    """The element that the panel is drawn in; `step` is one to look back at."""
    data = json.dumps(told).replace("<", "\\u003c")
    return (
        f'<div class="live" data-step="{step or ""}">'
        f'<script type="application/json">{data}</script></div>'
    )


def bundle() -> str:
    """The panel as one script."""
    node.ensure_packages()
    return node.output("--input-type=module", "--eval", _BUNDLE)
