"""Measure what the Explorer weighs, in thousands of bytes, beside the bars."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import tapelab
from tapelab.views import html
from tests.test_wheel import belongs
from tests.views.test_html import DATA

CHECKOUT: Final = Path(__file__).parents[2]
tf: Any = tapelab
FRONT_END: Final = ("pictures", "jupyterlab")
HEADS: Final = ("kilobytes", "size", "bar", "")

Size = tuple[str, float, float | None]
"""What was weighed, its kilobytes, and the bar where there is one."""


def sizes() -> Iterator[Size]:
    """Everything that has a bar, and the whole wheel, of which most is the engine."""
    static = CHECKOUT / "tapelab" / "static"
    script, standalone = (static / name for name in ("widget.js", "standalone.js"))
    yield "script that a notebook loads with a picture", script.stat().st_size / 1000, 90
    yield "script of a page of its own", standalone.stat().st_size / 1000, 90
    yield "page of its own, less the recording", page() / 1000, None
    with tempfile.TemporaryDirectory() as place, zipfile.ZipFile(wheel(place)) as archive:
        files = archive.infolist()
        front = sum(each.compress_size for each in files if belongs(each.filename) in FRONT_END)
        yield "wheel: its front-end", front / 1000, 300
        yield "wheel: engine, lessons, grading and all", wheel(place).stat().st_size / 1000, None


def page() -> int:
    """The bytes of an exported page that tell nothing of its recording."""
    with tf.GradientTape() as tape:
        x = tf.constant(3.0)
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    written = html.page(tape.recording())
    data = DATA.search(written)
    assert data is not None
    without_script = written.split("<noscript>")[1].split("</noscript>")[0]
    return len(written.encode()) - len(data[2]) - len(without_script)


def wheel(place: str) -> Path:
    """Build the wheel, or take the one that was built there."""
    if not (built := [*Path(place).glob("*.whl")]):
        command = ["-m", "build", "--wheel", "--no-isolation", "--outdir", place]
        subprocess.run([sys.executable, *command], cwd=CHECKOUT, check=True, capture_output=True)
        built = [*Path(place).glob("*.whl")]
    return built[0]


def cells(size: Size) -> list[str]:
    """The size for the report."""
    what, kilobytes, bar = size
    if bar is None:
        return [what, f"{kilobytes:.1f}", "", ""]
    return [what, f"{kilobytes:.1f}", f"{bar:g}", "kept" if kilobytes <= bar else "missed"]


def line(fields: Sequence[str]) -> str:
    """A line of the table on a terminal."""
    what, size, bar, verdict = fields
    return f"{what:<50}{size:>7}{'':>7}{bar:>7}  {verdict}"
