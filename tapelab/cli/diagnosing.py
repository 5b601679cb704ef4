"""`tapelab explain`: run a script and say what is wrong with its last gradient.

What explains is imported when something is explained: the Tab key waits for this module.
"""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console
from rich.text import Text

from tapelab.cli.complaint import Complaint, Exit
from tapelab.cli.completing import scripts
from tapelab.cli.picturing import Language, require_file
from tapelab.cli.scripts import ScriptFailed, output_apart, running
from tapelab.core.log import thread
from tapelab.locales import language as speak
from tapelab.locales import say, sentence

if TYPE_CHECKING:
    from tapelab.diagnosis import Explanation

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
        raise Complaint(
            say(
                "{script} is a notebook. Open it with: {command}, and ask tf.why() there.",
                script=script,
                command="tapelab lab",
            )
        )
    try:
        with output_apart() if as_json else nullcontext(), running(script, arguments or []):
            explanation = _explained(script)
    except ScriptFailed as failure:
        _tell_of_failure(failure.error, as_json=as_json)
        raise typer.Exit(Exit.UNABLE) from failure
    print_explanation(explanation, as_json=as_json)
    raise typer.Exit(Exit.WRONG if explanation.findings else Exit.FINE)


def _explained(script: Path) -> Explanation:
    if not thread.recent_calls:
        raise Complaint(
            say(
                "{script} asked no tape for a gradient, so there is none to explain. A script does "
                "by `tape.gradient(target, source)`, with `import tapelab as tf` for TensorFlow.",
                script=script,
            )
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
    told = Text(str(explanation))
    for pattern, style in STYLES:
        told.highlight_regex(pattern, style)
    Console(soft_wrap=True, highlight=False).print(told)


def _gradients(explanation: Explanation) -> dict[str, str]:
    """What the last question was answered, source by source, in short."""
    from tapelab.views.tape_summary import gradient_results

    return dict(gradient_results(explanation.recording)) if explanation.recording else {}


def _tell_of_failure(error: BaseException, *, as_json: bool) -> None:
    """Beyond the traceback: what tapelab knows of the error, or data for a program."""
    finding = getattr(error, "finding", None)
    if as_json:
        kind, found = type(error).__name__, finding and finding.to_json()
        _print_json({"status": "failed", "error": kind, "message": str(error), "finding": found})
    elif finding is not None:
        typer.echo(f"\n{finding}", err=True)
    elif isinstance(error, ModuleNotFoundError) and error.name in {"tensorflow", "keras"}:
        told = say("To run this with tapelab, write: {code}", code="import tapelab as tf")
        typer.echo(f"\ntapelab: {told}", err=True)


def _print_json(told: dict[str, Any]) -> None:
    print(json.dumps(told, ensure_ascii=False, indent=2))
