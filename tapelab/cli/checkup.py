"""What is looked at on a host: each check says what it found and, where that is poor, the cure."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Final

from tapelab.cli import packages
from tapelab.launch import has_browser
from tapelab.lessons import lessons, shipped_folder
from tapelab.views.html import STATIC
from tapelab.words import CATALOGUES, ENGLISH
from tapelab.words import language as spoken

FIRST_PORT: Final = 8888
PORTS: Final = 50
"""So many ports JupyterLab tries from the first one on."""
BUNDLES: Final = ("widget.js", "standalone.js", "extras.js")
LABEXTENSIONS: Final = {
    "@jupyter-widgets/jupyterlab-manager": "pip install --force-reinstall jupyterlab_widgets",
    "anywidget": "pip install --force-reinstall anywidget",
    "tapelab": "pip install --force-reinstall --no-deps tapelab",
}
"""What JupyterLab loads in the browser, with the command that puts it there."""


class State(StrEnum):
    """How a check went: what is poor is missed by somebody, what is missing by everybody."""

    GOOD = "good"
    POOR = "poor"
    MISSING = "missing"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    title: str
    state: State
    found: str
    cure: str = ""


def check_up() -> Iterator[Check]:
    """Everything that is looked at, one after the other."""
    for look in CHECKS:
        yield from look()


def python() -> Iterator[Check]:
    """The Python that runs, against the oldest one that tapelab takes."""
    version, wanted = platform.python_version(), packages.python_wanted()
    if not wanted:
        cure = "In the checkout: pip install -e '.[lab]'"
        yield Check("tapelab", State.POOR, "runs from its sources, and is not installed", cure)
    fits = packages.fits(version, wanted)
    cure = "" if fits else f"Install a Python {wanted}, and tapelab in it."
    yield Check("Python", _good(fits, State.MISSING), f"{version}, {sys.executable}", cure)


def installed() -> Iterator[Check]:
    """Every package that tapelab asks for, against what it was tested with."""
    for package in packages.wanted():
        poor = State.MISSING if package.name in packages.NEEDED else State.POOR
        without = packages.WITHOUT.get(package.name, "")
        cure = f"pip install '{package.name}{package.specifier}'"
        if package.version is None:
            yield Check(package.name, poor, "not installed" + f"; {without}" * bool(without), cure)
        elif not packages.fits(package.version, package.specifier):
            yield Check(package.name, poor, f"{package.version}, not {package.specifier}", cure)
        elif packages.is_newer(package.version, package.newest):
            told = f"{package.version}, newer than {package.newest}, the newest tested"
            yield Check(package.name, State.GOOD, told)
        else:
            yield Check(package.name, State.GOOD, package.version)


def compiling() -> Iterator[Check]:
    """Machine code: the threads it runs on, and the folder in which it is kept."""
    from tapelab.compiling.fusing import running, store

    try:
        threads = f"{import_module('numba').get_num_threads()} threads"
    except ImportError as error:
        yield Check("compiled kernels", State.POOR, str(error), "pip install --upgrade numba")
    else:
        yield Check("compiled kernels", State.GOOD, threads)
    runs = running.available()
    told = "ready" if runs else "not on this machine; NumPy does its work, more slowly"
    yield Check("compiled functions", _good(runs), told)
    place = store.place()
    cure = "" if place else "Set TAPELAB_CACHE_DIR to a folder that you alone can write."
    told = str(place) if place else "cannot be written; each process compiles anew"
    yield Check("cache folder", _good(place is not None), told, cure)


def front_end() -> Iterator[Check]:
    """What runs in the browser: the bundles of this package, and the extensions of JupyterLab."""
    lost = [name for name in BUNDLES if not (STATIC / name).is_file()]
    told = f"{', '.join(lost)} missing from {STATIC}" if lost else str(STATIC)
    cure = LABEXTENSIONS["tapelab"] if lost else ""
    yield Check("pictures", _good(not lost, State.MISSING), told, cure)
    if packages.version_of("jupyterlab") is None:
        return
    places = [
        Path(each) for each in import_module("jupyter_core.paths").jupyter_path("labextensions")
    ]
    for name, cure in LABEXTENSIONS.items():
        found = next((place / name for place in places if (place / name).is_dir()), None)
        told = str(found) if found else "not found"
        yield Check(f"extension {name}", _good(found is not None), told, "" if found else cure)


def kernel() -> Iterator[Check]:
    """Whether the kernel that notebooks ask for is this very Python."""
    if packages.version_of("ipykernel") is None:
        return
    cure = f"{sys.executable} -m ipykernel install --user --name python3"
    manager = import_module("jupyter_client.kernelspec")
    try:
        command = manager.KernelSpecManager().get_kernel_spec("python3").argv[0]
    except (manager.NoSuchKernel, OSError, IndexError):
        yield Check("kernel python3", State.MISSING, "not found", cure)
        return
    ours = command in {"python", f"python{sys.version_info.major}"}  # Jupyter puts its own there
    same = ours or _same(command, sys.executable)
    found = sys.executable if ours else command
    told = found if same else f"{found} is another Python, which may not have tapelab"
    yield Check("kernel python3", _good(same), told, "" if same else cure)


def surroundings() -> Iterator[Check]:
    """What else a lesson meets: programs, a port, the lessons, the language."""
    dot = shutil.which("dot")
    told = dot or "not found; .dot files can be written, and not drawn"
    yield Check("Graphviz's dot", _good(dot is not None), told, "" if dot else _install_dot())
    browser = has_browser()
    told = "there" if browser else "none here; addresses and files are printed instead"
    yield Check("browser", _good(browser), told, "" if browser else "Set BROWSER to a program.")
    port = next(filter(_is_free, range(FIRST_PORT, FIRST_PORT + PORTS)), None)
    cure = "" if port else "End a JupyterLab that nobody uses: jupyter lab list, jupyter lab stop"
    yield Check("port", _good(port is not None), str(port or "none is free"), cure)
    count = len(lessons(shipped_folder()))
    cure = "" if count else "pip install --force-reinstall --no-deps tapelab"
    yield Check("lessons", _good(count > 0, State.MISSING), f"{count} in {shipped_folder()}", cure)
    yield _language()


def _language() -> Check:
    name = spoken()
    known = sorted({ENGLISH, *(each.parent.name for each in CATALOGUES.glob("*/LC_MESSAGES"))})
    same = [
        each for each in known if each.partition("_")[0] == name.replace("-", "_").partition("_")[0]
    ]
    cure = "" if same else f"Set TAPELAB_LANGUAGE to one of {', '.join(known)}."
    return Check("language", _good(bool(same)), name if same else f"{name} is not spoken", cure)


CHECKS: Final[tuple[Callable[[], Iterator[Check]], ...]] = (
    python,
    installed,
    compiling,
    front_end,
    kernel,
    surroundings,
)


def _good(is_good: bool, otherwise: State = State.POOR) -> State:
    return State.GOOD if is_good else otherwise


def _same(one: str, other: str) -> bool:
    """Whether two interpreters are of one environment; that of a venv is a link to the system's."""
    return os.path.normcase(Path(one).absolute().parent) == os.path.normcase(
        Path(other).absolute().parent
    )


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return probe.connect_ex(("127.0.0.1", port)) != 0


def _install_dot() -> str:
    managers = {"apt-get": "apt install graphviz", "brew": "brew install graphviz"}
    known = (cure for name, cure in managers.items() if shutil.which(name))
    return next(known, "Install Graphviz from its site, graphviz.org.")
