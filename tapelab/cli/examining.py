"""`tapelab doctor` and `tapelab warmup`: what works on this host, and compiling ahead."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from tapelab.cli.checkup import Check, State, check_up
from tapelab.cli.complaint import Complaint, Exit
from tapelab.locales import say, say_many, sentence, translated

SIGNS: Final = {State.GOOD: "✓", State.POOR: "!", State.MISSING: "×"}
STYLES: Final = {State.GOOD: "green", State.POOR: "yellow", State.MISSING: "bold red"}
VERDICTS: Final = {
    State.GOOD: sentence("Everything works here."),
    State.POOR: sentence("The lessons run here; what is marked ! is missed by a part of them."),
    State.MISSING: sentence("Something that is needed is missing: see what is marked ×."),
}


def doctor(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Say what works on this computer, and how to mend what does not.

    Exit codes: 0 the lessons run here; 1 something that is needed is missing.
    """
    checks = []
    console = Console(soft_wrap=True, highlight=False)
    for check in check_up():
        checks.append(check)
        if not as_json:
            console.print(_line(check))
    worst = max((each.state for each in checks), key=list(State).index)
    if as_json:
        told = {"state": worst.value, "checks": [asdict(each) for each in checks]}
        print(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        console.print(f"\n{translated(VERDICTS[worst])}", style=STYLES[worst])
    raise typer.Exit(Exit.WRONG if worst is State.MISSING else Exit.FINE)


def _line(check: Check) -> Text:
    line = Text.assemble(
        (SIGNS[check.state], STYLES[check.state]), " ", (translated(check.title), "bold")
    )
    line.append(f": {check.found}")
    if check.cure:
        line.append(f"\n    {say('Try: {cure}', cure=check.cure)}", "cyan")
    return line


def warmup() -> None:
    """Compile ahead what lessons compute with, so that none of them waits for it."""
    from tapelab.compile.fusion.kernel_runtime import available
    from tapelab.kernels.warmup import compile_all

    with Progress(transient=True) as bar:
        task = bar.add_task("Compiling", total=None)
        try:
            count = compile_all(lambda done, total: bar.update(task, completed=done, total=total))
        except ImportError as error:
            raise Complaint(
                say(
                    "numba is missing, and NumPy does its work. Try: {command}",
                    command="pip install numba",
                )
            ) from error
    typer.echo(say_many("{count} kernel is compiled.", "{count} kernels are compiled.", count))
    if available():
        typer.echo(say("What tf.function needs is compiled."))
