"""The runtime of fused groups: interpreted at once, compiled as soon as machine code is there.

A group that is small, or made of very many ops, is always interpreted. Another is read from the
compile cache if it was compiled before, and otherwise compiled in the background while the
interpreter runs it. Both give the same numbers, bit for bit, so results do not change when one
replaces the other.
"""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from tapelab.compile.fusion import compile_cache, jit
from tapelab.compile.fusion.block_code import block_function, streamed
from tapelab.compile.fusion.bytecode import Encoded, encoded
from tapelab.compile.fusion.fusion_group import Group, Operand, Reduction, Step
from tapelab.compile.fusion.interpreter import interpreter
from tapelab.compile.fusion.kernel_call import Frame, header, kernel
from tapelab.ops.powers import exp
from tapelab.ops.trigonometry import sin

COMPILED_FROM: Final = 4096
"""From so many entries on a group is compiled; on fewer, interpreting costs less than half more."""
MOST_STEPS: Final = 256
"""Groups of more ops are interpreted: compiling takes half a millisecond for each."""

_compiled_here: Final[list[str]] = []
_addresses: Final[dict[tuple[str, Path | None], int]] = {}
_PROOF: Final = "from tapelab.compile.fusion.kernel_runtime import prove; prove()"

Way = Literal["beside", "at once", "never"]
_chosen: Final[dict[str, Way]] = {"way": "beside"}


def compile_large(way: Way) -> Way:
    """Choose when large groups are compiled; returns how it was before."""
    before, _chosen["way"] = _chosen["way"], way
    return before


@cache
def available() -> bool:
    """Whether this machine and this Python can run compiled groups; compiles what all need."""
    try:
        return jit.is_fit() and proven() and _driver() is not None and _interpreter() != 0
    except Exception:  # noqa: BLE001 - whatever is missing, NumPy does the work then
        return False


def proven() -> bool:
    """Whether compiled code runs on this machine: a process of its own tries that once.

    Where something is amiss, LLVM ends the process. On Linux and x86-64 it is known to work.
    """
    if sys.platform == "linux" and platform.machine() == "x86_64":
        return True
    file = compile_cache.entry("proof")
    if file is None:
        return False
    known = compile_cache.read(file)
    if known is None:
        command = [sys.executable, "-c", _PROOF]
        tried = import_module("subprocess").run(
            command, capture_output=True, timeout=120, check=False
        )
        known = b"it works" if tried.returncode == 0 else b"it fails"
        compile_cache.write(file, known)
    return known == b"it works"


def function(group: Group, frame: Frame) -> Callable[..., Any]:
    """A function from the values of the operands of a group to its results."""
    program = encoded(group)
    headers = [header(group, _interpreter(), program.address)]
    compute = kernel(_driver(), group, frame, headers)
    _keep(compute, program)
    if group.entries >= COMPILED_FROM and len(group.steps) <= MOST_STEPS:
        with contextlib.suppress(Exception):  # then it is interpreted for good
            _compile(group, headers)
    return compute


def _keep(compute: Callable[..., Any], program: Encoded) -> None:
    """The program lives as long as the function does."""
    compute.__dict__["program"] = program


def _compile(group: Group, headers: list[Any]) -> None:
    """See to it that a header for compiled code comes to stand first."""
    ways = [streamed(group, value) for value in group.stored]
    what = repr((group.operands, group.steps, group.stored, group.reductions, *ways))

    def text() -> str:
        return block_function(group, "block", scales=jit.scales())

    def replace() -> None:
        headers[0] = header(group, address(what, "block", text))

    way = _chosen["way"]
    file = compile_cache.entry(what)
    if way == "at once" or (way == "beside" and file is not None and file.exists()):
        replace()
    elif way == "beside":
        _later(replace)


def _later(work: Callable[[], None]) -> Future[None]:
    """Do some work in a thread of its own, unless the program has come to its end by then."""

    def unless_over() -> None:
        if threading.main_thread().is_alive():
            work()

    return _compiler(os.getpid()).submit(unless_over)


@cache
def _compiler(process: int) -> ThreadPoolExecutor:
    """A thread that compiles; a forked process needs its own."""
    del process
    return ThreadPoolExecutor(1, thread_name_prefix="tapelab-compiler")


def finished() -> None:
    """Wait until everything is compiled that waits for it."""
    _later(lambda: None).result()


def compiled_here() -> int:
    """How many functions this process had to compile itself."""
    return len(_compiled_here)


def address(what: str, name: str, text: Callable[[], str]) -> int:
    """Where a function stands in memory: its code from the disk, or compiled and kept there."""
    file = compile_cache.entry(what)
    if (what, file) not in _addresses:
        _addresses[what, file] = _address(what, name, text, file)
    return _addresses[what, file]


def _address(what: str, name: str, text: Callable[[], str], file: Path | None) -> int:
    kept = compile_cache.read(file) if file is not None else None
    address = None if kept is None else _loaded(kept, name)
    if address is not None:
        return address
    code = jit.machine_code(text())
    _compiled_here.append(what)
    if file is not None:
        compile_cache.write(file, code)
    return jit.loaded(code, name)


def _loaded(code: bytes, name: str) -> int | None:
    """Where a function of kept code stands; None if that is no code, and must be compiled again."""
    try:
        return jit.loaded(code, name)
    except Exception:  # noqa: BLE001 - LLVM may say anything of a damaged file
        return None


@cache
def _driver() -> Any:
    """The way from Python to compiled blocks."""

    def text() -> str:
        return Path(__file__).with_name("driver.ll").read_text(encoding="utf-8")

    return jit.callable_at(address("driver", "call", text), "call")


@cache
def _interpreter() -> int:
    """Where the interpreter stands in memory."""

    def text() -> str:
        return interpreter("interpret", scales=jit.scales())

    return address("interpreter", "interpret", text)


SIZE = 5000


def prove() -> None:
    """Compute some sines and their sum both ways; raises if they are wrong, unless it crashes."""
    for kind, dtype in (("float", np.float32), ("double", np.float64)):
        x = np.linspace(-9, 9, SIZE, dtype=dtype)
        x[7] = 1e9
        steps = (Step(sin, (0,), (), kind), Step(exp, (1,), (), kind))
        group = Group(1, SIZE, SIZE, (Operand("full", kind),), steps, (2,),
                      (Reduction(1, "sum", "all"),))  # fmt: skip
        for way in ("never", "at once"):
            compile_large(way)
            y, total = function(group, Frame(((SIZE,),), ((),)))(x)
            np.testing.assert_allclose(y, np.exp(np.sin(x)), rtol=1e-5)
            np.testing.assert_allclose(total, np.sin(x).sum(dtype=np.float64), rtol=1e-4)
