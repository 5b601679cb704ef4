"""`tapelab doctor` and `tapelab warmup`: what works on this computer, and compiling ahead.

Each check of the doctor says what it found and, where that is poor, what to do about it.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from tapelab.cli import packages
from tapelab.cli.checkup import Check, State, good_if, install_program
from tapelab.cli.command_errors import Exit, complaint
from tapelab.cli.grading_checkup import grading_checks
from tapelab.cli.options import DEFAULT_BOOK, Book
from tapelab.cli.row_table import AsJson
from tapelab.installation import extra_command, pip_command, repair_command
from tapelab.lab.launcher import has_browser
from tapelab.lab.lesson_folder import lessons, shipped_folder
from tapelab.locales import CATALOGUES, ENGLISH, say, say_many, sentence, translated
from tapelab.locales import language as spoken
from tapelab.views.html import PARTS, STATIC

FIRST_PORT: Final = 8888
PORTS: Final = 50
"""So many ports JupyterLab tries from the first one on."""
KERNELS: Final = sentence("compiled kernels")
BUNDLES: Final = (
    "widget.js",
    "extras.js",
    "standalone.js",
    *(f"standalone-{part}.js" for part in PARTS),
)
LABEXTENSIONS: Final = {
    "@jupyter-widgets/jupyterlab-manager": pip_command("--force-reinstall", "jupyterlab_widgets"),
    "anywidget": pip_command("--force-reinstall", "anywidget"),
    "tapelab": repair_command(),
}
"""What JupyterLab loads in the browser, with the command that puts it there."""


def check_up(gradebook: str, key: Path) -> Iterator[Check]:
    """Everything that is looked at, one after the other."""
    for look in CHECKS:
        yield from look()
    yield from grading_checks(gradebook, key)


def python() -> Iterator[Check]:
    """The Python that runs, against the oldest one that tapelab takes."""
    version, wanted = platform.python_version(), packages.python_wanted()
    if not wanted:
        cure = extra_command("lab")
        shown = say("runs from its sources, and is not installed")
        yield Check("tapelab", State.POOR, shown, cure)
    fits = packages.fits(version, wanted)
    cure = "" if fits else say("Install a Python {wanted}, and tapelab in it.", wanted=wanted)
    yield Check("Python", good_if(fits, State.MISSING), f"{version}, {sys.executable}", cure)


def installed() -> Iterator[Check]:
    """Every package that tapelab asks for, against what it was tested with."""
    for package in packages.wanted():
        poor = State.MISSING if package.name in packages.NEEDED else State.POOR
        without = translated(packages.WITHOUT.get(package.name, ""))
        cure = pip_command(f"{package.name}{package.specifier}")
        if package.version is None:
            shown = say("not installed") + f"; {without}" * bool(without)
            yield Check(package.name, poor, shown, cure)
        elif not packages.fits(package.version, package.specifier):
            bounds = {"version": package.version, "wanted": package.specifier}
            yield Check(package.name, poor, say("{version}, not {wanted}", **bounds), cure)
        elif packages.is_newer(package.version, package.newest):
            shown = say(
                "{version}, newer than {tested}, the newest tested",
                version=package.version,
                tested=package.newest,
            )
            yield Check(package.name, State.GOOD, shown)
        else:
            yield Check(package.name, State.GOOD, package.version)


def compiling() -> Iterator[Check]:
    """Machine code: the threads it runs on, and the folder in which it is kept."""
    from tapelab.compile.fusion import compile_cache, kernel_runtime

    try:
        count = import_module("numba").get_num_threads()
        threads = say_many("{count} thread", "{count} threads", count)
    except ImportError as error:
        yield Check(KERNELS, State.POOR, str(error), pip_command("--upgrade", "numba"))
    else:
        yield Check(KERNELS, State.GOOD, threads)
    runs = kernel_runtime.available()
    shown = say("ready") if runs else say("not on this machine; NumPy does its work, more slowly")
    yield Check(sentence("compiled functions"), good_if(runs), shown)
    place = compile_cache.place()
    cure = "" if place else say("Set TAPELAB_CACHE_DIR to a folder that you alone can write.")
    shown = str(place) if place else say("cannot be written; each process compiles again")
    yield Check(sentence("cache folder"), good_if(place is not None), shown, cure)


def front_end() -> Iterator[Check]:
    """What runs in the browser: the bundles of this package, and the extensions of JupyterLab."""
    lost = [name for name in BUNDLES if not (STATIC / name).is_file()]
    shown = str(STATIC)
    if lost:
        shown = say("{files} missing from {folder}", files=", ".join(lost), folder=STATIC)
    cure = LABEXTENSIONS["tapelab"] if lost else ""
    yield Check(sentence("pictures"), good_if(not lost, State.MISSING), shown, cure)
    if packages.version_of("jupyterlab") is None:
        return
    places = [
        Path(each) for each in import_module("jupyter_core.paths").jupyter_path("labextensions")
    ]
    for name, cure in LABEXTENSIONS.items():
        bundle = next((place / name for place in places if (place / name).is_dir()), None)
        shown = str(bundle) if bundle else say("not found")
        yield Check(f"extension {name}", good_if(bundle is not None), shown, "" if bundle else cure)


def kernel() -> Iterator[Check]:
    """Whether the kernel that notebooks ask for is this very Python."""
    if packages.version_of("ipykernel") is None:
        return
    cure = f"{sys.executable} -m ipykernel install --user --name python3"
    manager = import_module("jupyter_client.kernelspec")
    try:
        command = manager.KernelSpecManager().get_kernel_spec("python3").argv[0]
    except (manager.NoSuchKernel, OSError, IndexError):
        yield Check("kernel python3", State.MISSING, say("not found"), cure)
        return
    ours = command in {"python", f"python{sys.version_info.major}"}  # Jupyter puts its own there
    same = ours or _same(command, sys.executable)
    interpreter = sys.executable if ours else command
    other = say("{found} is another Python, which may not have tapelab", found=interpreter)
    shown = interpreter if same else other
    yield Check("kernel python3", good_if(same), shown, "" if same else cure)


def surroundings() -> Iterator[Check]:
    """What else a lesson meets: programs, a port, the lessons, the language."""
    dot = shutil.which("dot")
    shown = dot or say("not found; .dot files can be written, and not drawn")
    cure = "" if dot else install_program("graphviz")
    yield Check("Graphviz's dot", good_if(dot is not None), shown, cure)
    browser = has_browser()
    shown = say("there") if browser else say("none here; addresses and files are printed instead")
    cure = "" if browser else say("Set BROWSER to a program.")
    yield Check(sentence("browser"), good_if(browser), shown, cure)
    port = next(filter(_is_free, range(FIRST_PORT, FIRST_PORT + PORTS)), None)
    command = "jupyter lab list, jupyter lab stop"
    cure = "" if port else say("End a JupyterLab that is not used: {command}", command=command)
    yield Check(sentence("port"), good_if(port is not None), str(port or say("none is free")), cure)
    count = len(lessons(shipped_folder()))
    cure = "" if count else repair_command()
    shown = say("{count} in {folder}", count=count, folder=shipped_folder())
    yield Check(sentence("lessons"), good_if(count > 0, State.MISSING), shown, cure)
    yield _language()


def _language() -> Check:
    name = spoken()
    known = sorted({ENGLISH, *(each.parent.name for each in CATALOGUES.glob("*/LC_MESSAGES"))})
    same = [
        each for each in known if each.partition("_")[0] == name.replace("-", "_").partition("_")[0]
    ]
    names = ", ".join(known)
    cure = "" if same else say("Set TAPELAB_LANGUAGE to one of {names}.", names=names)
    shown = name if same else say("{language} is not spoken", language=name)
    return Check(sentence("language"), good_if(bool(same)), shown, cure)


CHECKS: Final[tuple[Callable[[], Iterator[Check]], ...]] = (
    python,
    installed,
    compiling,
    front_end,
    kernel,
    surroundings,
)


def _same(one: str, other: str) -> bool:
    """Whether two interpreters are of one environment; that of a venv is a link to the system's."""
    return os.path.normcase(Path(one).absolute().parent) == os.path.normcase(
        Path(other).absolute().parent
    )


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return probe.connect_ex(("127.0.0.1", port)) != 0


SIGNS: Final = {State.GOOD: "✓", State.POOR: "!", State.MISSING: "×"}
STYLES: Final = {State.GOOD: "green", State.POOR: "yellow", State.MISSING: "bold red"}
VERDICTS: Final = {
    State.GOOD: sentence("Everything works here."),
    State.POOR: sentence("The lessons run here; what is marked ! is missed by a part of them."),
    State.MISSING: sentence("Something that is needed is missing: see what is marked ×."),
}


def doctor(
    *,
    gradebook: Book = DEFAULT_BOOK,
    key: Annotated[Path, typer.Option(help="The private key for LTI.")] = Path("lti.pem"),
    as_json: AsJson = False,
) -> None:
    """Say what works on this computer, and how to mend what does not.

    Exit codes: 0 the lessons run here; 1 something that is needed is missing.
    """
    checks = []
    console = Console(soft_wrap=True, highlight=False)
    for check in check_up(gradebook, key):
        checks.append(check)
        if not as_json:
            console.print(_line(check))
    worst = max((each.state for each in checks), key=list(State).index)
    if as_json:
        shown = {"state": worst.value, "checks": [asdict(each) for each in checks]}
        print(json.dumps(shown, ensure_ascii=False, indent=2))
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
            raise complaint(
                "numba is missing, and NumPy does its work. Try: {command}",
                command=pip_command("numba"),
            ) from error
    typer.echo(say_many("{count} kernel is compiled.", "{count} kernels are compiled.", count))
    if available():
        typer.echo(say("What tf.function needs is compiled."))
