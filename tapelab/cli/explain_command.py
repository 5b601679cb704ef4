"""`tapelab explain`: run a script and explain what is wrong with its last gradient.

The script runs as the main module, as with `python script.py`; the tapes of its gradient calls are
kept until the explanation is printed. The diagnosis is imported when it is needed: the Tab key
waits for this module.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import typer
from rich.console import Console
from rich.text import Text

from tapelab.cli.command_errors import Exit, complaint
from tapelab.cli.recording_commands import Language, require_file
from tapelab.cli.shell_completion import scripts
from tapelab.core.backward_report import GradientCall
from tapelab.core.gradient_call import observers
from tapelab.core.log import thread
from tapelab.core.tape import GradientTape
from tapelab.locales import language as speak
from tapelab.locales import say, sentence

if TYPE_CHECKING:
    from tapelab.diagnosis import Explanation


class ScriptFailed(Exception):  # noqa: N818 - what failed is the script, and it has said so
    """The script ended before its end; Python's words on it have been printed."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class TapeKeeper:
    """Keeps the tapes that `tf.why()` will be asked about.

    A tape inside a function is gone when the function is done, and with it what it saw.
    """

    def __init__(self) -> None:
        self.kept: dict[str, GradientTape] = {}

    def observe(self, tape: GradientTape, _: GradientCall, results: Any) -> None:
        """Keep the tape that answered last, and the one whose answer went wrong last."""
        self.kept["last"] = tape
        if any(map(_went_wrong, results)):
            self.kept["wrong"] = tape


def _went_wrong(result: Any) -> bool:
    """Whether a gradient is None, or holds NaN or infinities."""
    value: Any = getattr(result, "_value", None)
    is_number = value is not None and value.dtype.kind in "fc"
    return result is None or (is_number and not np.isfinite(value).all())


@contextmanager
def running(script: Path, arguments: list[str]) -> Iterator[None]:
    """Run a script as the main module; until the end of the block its tapes and names live.

    ScriptFailed where it breaks off, or ends with another status than 0.
    """
    main, keeper = ModuleType("__main__"), TapeKeeper()
    main.__file__ = str(script)
    observers.append(keeper.observe)
    try:
        with _in_place_of_ours(main, [str(script), *arguments], str(script.resolve().parent)):
            _run(script, main)
        yield
    finally:
        observers.remove(keeper.observe)


def _run(script: Path, main: ModuleType) -> None:
    try:
        exec(compile(script.read_bytes(), str(script), "exec"), main.__dict__)  # noqa: S102 - the learner's script
    except SystemExit as end:
        _exit_as_python_does(end)
    except Exception as error:
        error.__traceback__ = _from(str(script), error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        raise ScriptFailed(error) from error


@contextmanager
def _in_place_of_ours(main: ModuleType, arguments: list[str], folder: str) -> Iterator[None]:
    """Let a module be the main one, as long as its code runs."""
    before = sys.modules["__main__"], sys.argv, sys.path[0]
    sys.modules["__main__"], sys.argv, sys.path[0] = main, arguments, folder
    try:
        yield
    finally:
        sys.modules["__main__"], sys.argv, sys.path[0] = before


def _exit_as_python_does(end: SystemExit) -> None:
    """A script may end early; with anything but 0 it says that something failed."""
    if end.code is None or end.code == 0:
        return
    if not isinstance(end.code, int):
        print(end.code, file=sys.stderr)
    raise ScriptFailed(end) from end


def _from(file: str, trace: TracebackType | None) -> TracebackType | None:
    """A traceback from the script on: how it was started is no matter of the learner's."""
    while trace is not None and trace.tb_frame.f_code.co_filename != file:
        trace = trace.tb_next
    return trace


@contextmanager
def output_apart() -> Iterator[None]:
    """Send what is printed meanwhile, also by other programs, to the error stream."""
    sys.stdout.flush()
    ours = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(ours, 1)
        os.close(ours)


SETTINGS: Final = {"allow_interspersed_args": False, "ignore_unknown_options": True}
"""What stands after the script belongs to the script."""
STYLES: Final = (
    (re.compile(r"^    - .*$", re.MULTILINE), "red"),
    (re.compile(r"^    \+ .*$", re.MULTILINE), "green"),
    (re.compile(r"^ *\^+$", re.MULTILINE), "magenta"),
    (re.compile(r"\A.*$", re.MULTILINE), "bold"),
)
"""The line at fault, the line to write, the culprit and the headline, where there is colour."""


def explain(
    script: Annotated[
        Path,
        typer.Argument(metavar="SCRIPT.py", help="A Python script.", autocompletion=scripts),
    ],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="ARGS", help="What the script is given.")
    ] = None,
    *,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print JSON; what the script prints goes to the error stream."),
    ] = False,
    language: Language = "",
) -> None:
    """Run a script, then explain the last gradient it asked for that went wrong.

    Exit codes: 0 the gradient is fine; 1 something is wrong with it, and it says what; 2 the script
    raised an error, ended with another status than 0, or asked for no gradient. Options of this
    command stand before the script, those of the script after it.
    """
    if language:
        speak(language)
    if require_file(script, ".py", sentence("a Python script")).suffix == ".ipynb":
        raise complaint(
            "{script} is a notebook. Open it with: {command}, and ask tf.why() there.",
            script=script,
            command="tapelab lab",
        )
    try:
        with output_apart() if as_json else nullcontext(), running(script, arguments or []):
            explanation = _explained(script)
    except ScriptFailed as failure:
        _report_failure(failure.error, as_json=as_json)
        raise typer.Exit(Exit.UNABLE) from failure
    print_explanation(explanation, as_json=as_json)
    raise typer.Exit(Exit.WRONG if explanation.findings else Exit.FINE)


def _explained(script: Path) -> Explanation:
    if not thread.recent_calls:
        raise complaint(
            "{script} asked no tape for a gradient, so there is none to explain. A script does "
            "by `tape.gradient(target, source)`, with `import tapelab as tf` for TensorFlow.",
            script=script,
        )
    from tapelab.diagnosis import why

    return why()


def print_explanation(explanation: Explanation, *, as_json: bool) -> None:
    """The explanation on the output stream, in colour where that is a terminal."""
    if as_json:
        status = "wrong" if explanation.findings else "fine"
        _print_json(
            {"status": status, "gradients": _gradients(explanation)} | explanation.to_json()
        )
        return
    text = Text(str(explanation))
    for pattern, style in STYLES:
        text.highlight_regex(pattern, style)
    Console(soft_wrap=True, highlight=False).print(text)


def _gradients(explanation: Explanation) -> dict[str, str]:
    """What the last question was answered, source by source, in short."""
    from tapelab.views.tape_summary import gradient_results

    return dict(gradient_results(explanation.recording)) if explanation.recording else {}


def _report_failure(error: BaseException, *, as_json: bool) -> None:
    """Beyond the traceback: what tapelab knows of the error, or data for a program."""
    finding = getattr(error, "finding", None)
    if as_json:
        kind, finding_json = type(error).__name__, finding and finding.to_json()
        _print_json(
            {"status": "failed", "error": kind, "message": str(error), "finding": finding_json}
        )
    elif finding is not None:
        typer.echo(f"\n{finding}", err=True)
    elif isinstance(error, ModuleNotFoundError) and error.name in {"tensorflow", "keras"}:
        advice = say("To run this with tapelab, write: {code}", code="import tapelab as tf")
        typer.echo(f"\ntapelab: {advice}", err=True)


def _print_json(data: dict[str, Any]) -> None:
    print(json.dumps(data, ensure_ascii=False, indent=2))
