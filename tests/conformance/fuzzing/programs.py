"""The kinds of program that are written: single calls, mistakes, operators, and tapes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any, Final

import tapelab

from . import surface
from .captured import captured
from .mistakes import spoil
from .recipes import drawn, takes_part
from .tapes import Tapes, floating, new_tape
from .writer import Ended, Writer

Kind = Callable[[Writer, str], None]


def program(seed: int, number: int, tf: Any = tapelab) -> str:
    """The text of one program; the same for the same seed and number."""
    return _written(seed, number, tf)[0].text


def captured_program(seed: int, number: int, tf: Any = tapelab) -> tuple[str, str]:
    """The same program with every op call through a capture, and as `program` gives it."""
    writer, raised = _written(seed, number, tf)
    rng = Random(f"{seed}/{number}/captured")
    return captured(rng, writer, raised=raised), writer.text


def _written(seed: int, number: int, tf: Any) -> tuple[Writer, bool]:
    """The writer of one program, and whether its last statement raises."""
    rng = Random(f"{seed}/{number}")
    names = participants()
    kind = rng.choices(list(KINDS), [share for share, _ in KINDS.values()])[0]
    writer, raised = Writer(rng, tf), True
    with suppress(Ended):
        # Each function has its turn, whatever the seed is.
        KINDS[kind][1](writer, names[number % len(names)])
        raised = False
    writer.close()
    return writer, raised


@cache
def participants() -> list[str]:
    """The functions that calls are drawn of, each under its first name."""
    first: dict[int, str] = {}
    for name, function in surface.functions().items():
        if takes_part(name):
            first.setdefault(id(function), name)
    return list(first.values())


def single_call(w: Writer, name: str) -> None:
    """One call, its first gradient, and often its second."""
    if w.chance(0.4):
        w.let("y", str(drawn(w, name)))
        return
    twice = w.chance(0.5)
    if twice:
        w.enter("tf.GradientTape(persistent=True)", "t0")
        call = drawn(w, name)
        _watch_all(w, "t0")
        w.enter(new_tape(w), "t1")
        _watch_all(w, "t1")
    else:
        call = drawn(w, name)
        w.enter(new_tape(w), "t1")
        _watch_all(w, "t1")
    y = w.let("y", str(call))
    w.leave()
    g = w.let("g", _gradient(w, "t1", y))
    if twice:
        w.leave()
        sources = _sources(w)
        if _connected(w.scope[g]):
            w.let("h", f"t0.gradient({g}, {sources})")


def _connected(gradients: Any) -> bool:
    return isinstance(gradients, list) and any(each is not None for each in gradients)


def _watch_all(w: Writer, tape: str) -> None:
    names = floating(w, w.scope["tf"].Tensor)
    if names:
        w.do(f"{tape}.watch([{', '.join(names)}])")


def _sources(w: Writer) -> str:
    names = [name for name in floating(w) if name[0] in "xv"]
    return f"[{', '.join(names)}]"


def _gradient(w: Writer, tape: str, target: str) -> str:
    """A question to a tape: gradient, with seeds or zeros, or a Jacobian."""
    sources = _sources(w)
    value = w.scope[target]
    single = isinstance(value, w.scope["tf"].Tensor)
    if single and w.chance(0.08) and value.dtype.is_floating:
        return f"{tape}.jacobian({target}, {sources})"
    settings = []
    if w.chance(0.15):
        settings.append(f"unconnected_gradients={w.one_of(repr('zero'), repr('none'))}")
    if single and value.dtype.is_floating and w.chance(0.2):
        seed = w.tensor(tuple(value.shape), value.dtype.name)
        settings.insert(0, f"output_gradients={seed}")
    return f"{tape}.gradient({', '.join([target, sources, *settings])})"


def mistake(w: Writer, name: str) -> None:
    """One call with something wrong in it."""
    call, change = spoil(w, drawn(w, name))
    w.lines.append(f"# corrupted: {change}")
    w.let("y", str(call))


OPERATORS: Final = (
    *("+", "-", "*", "/", "//", "%", "**", "@", "<", "<=", ">", ">=", "==", "!="),
    *("&", "|", "^"),
)
NUMBERS: Final = ("2", "1.5", "True", "-1", "0", "1e10", "1j", "np.float64(1.5)", "np.int64(2)",
                  "np.array([1.5, 2.0])", "[1.0, 2.0]", "[1, 2]", "None", "'a'")  # fmt: skip


def operators(w: Writer, _: str) -> None:
    """A few operators between tensors, variables, Python numbers and NumPy data."""
    for _ in range(w.rng.randint(1, 3)):
        dtype, shape = w.dtype(), w.shape()
        x = w.tensor(shape, dtype)
        if w.chance(0.4):
            y = w.number(dtype) if w.chance(0.5) else w.one_of(*NUMBERS)
        else:
            y = w.tensor(w.partner(shape), dtype if w.chance(0.85) else w.dtype())
        if w.chance(0.1):
            w.let("r", w.one_of(f"-({x})", f"abs({x})", f"~({x})"))
            continue
        pair = (x, y) if w.chance(0.7) else (y, x)
        w.let("r", f" {w.rng.choice(OPERATORS)} ".join(pair))


def tapes(w: Writer, name: str) -> None:
    """A longer program."""
    Tapes(w, name).write()


KINDS: Final[dict[str, tuple[int, Kind]]] = {
    "single_call": (34, single_call),
    "mistake": (24, mistake),
    "operators": (10, operators),
    "tapes": (32, tapes),
}
"""The kinds of program and how likely each is."""
