"""Run a guide's program on TensorFlow or on tapelab, and compare what the two print."""

from __future__ import annotations

import contextlib
import io
import linecache
import math
import re
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).parent / "programs"
_NUMBER = re.compile(r"(?<![A-Za-z_\d])-?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+)")
_NOISE = (
    (re.compile(r"\{\{function_node[^}]*\}\} "), ""),
    (re.compile(r"0x[0-9a-f]+"), "0x0"),
    (re.compile(r"tensorflow"), "tapelab"),
    (re.compile(r"\b\d+[mu]?s(/step|/epoch)?\b"), "time"),
    (re.compile(r"\s+"), " "),
)


def programs() -> list[str]:
    """The names of all programs."""
    return sorted(path.stem for path in PROGRAMS.glob("*.py"))


def printed(tf: Any, name: str) -> str:
    """What a program prints; every import of TensorFlow in it is one of the library given."""
    library = tf.__name__
    source = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    source = re.sub(r"\b(import|from) tensorflow\b", rf"\1 {library}", source)
    place = f"<guide {name} on {library}>"
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(7)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, place, "exec"), {"__name__": "__main__"})
    return out.getvalue()


def difference(ours: str, theirs: str) -> str:
    """The first lines in which two outputs differ, numbers up to rounding; "" where none do."""
    if _same(ours, theirs):
        return ""
    mine, other = ours.splitlines(), theirs.splitlines()
    for one, two in zip(mine, other, strict=False):
        if not _same(one, two):
            return f"here:       {one}\nTensorFlow: {two}"
    return f"{len(mine)} lines here, {len(other)} on TensorFlow"


def _same(one: str, other: str) -> bool:
    (a, numbers), (b, others) = _parts(one), _parts(other)
    return a == b and all(map(_near, numbers, others))


def _near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=2e-3, abs_tol=2e-5)


def _parts(text: str) -> tuple[str, list[float]]:
    """The words of an output, a sign in the place of each number, and the numbers."""
    for pattern, instead in _NOISE:
        text = pattern.sub(instead, text)
    numbers = [float(each) for each in _NUMBER.findall(text)]
    words = re.sub(r" ?([][(),]) ?", r"\1", _NUMBER.sub("#", text))
    return words.strip(), numbers
