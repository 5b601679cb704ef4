"""What `tapelab doctor` says about grading: packages, gradebook, key for LTI, sandbox."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tapelab.cli import packages
from tapelab.cli.checkup import Check, State, good_if, install_program
from tapelab.errors import Complaint
from tapelab.installation import extra_command
from tapelab.locales import say, sentence

EXTRAS: Final = {
    "grading": sentence("grading"),
    "cluster": sentence("grading on a cluster"),
    "lti": sentence("grades by LTI"),
}
"""The extras that grading is made of, and what they are for."""
GRADEBOOK: Final = sentence("gradebook")
SANDBOX: Final = sentence("sandbox for grading")
KEY: Final = sentence("key for LTI")
_SWITCHES: Final = {
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "0"),
    "kernel/unprivileged_userns_clone": ("0", "1"),
    "user/max_user_namespaces": ("0", "15000"),
}
"""Settings of Linux that forbid namespaces: the value that does, and the one that does not."""


def grading_checks(place: str, key: Path) -> Iterator[Check]:
    """Whether this computer can grade into the gradebook at `place`."""
    ready = {extra: _extra(extra) for extra in EXTRAS}
    yield from ready.values()
    if ready["grading"].state is State.GOOD:
        yield _gradebook(place)
    if ready["lti"].state is State.GOOD and key.exists():
        yield _key(key)
    yield _sandbox()


def _extra(extra: str) -> Check:
    """Whether all packages of an extra are installed, and new enough."""
    wanted = list(packages.wanted(extra))
    poor = [
        each.name if each.version is None else f"{each.name} {each.version} ({each.specifier})"
        for each in wanted
        if each.version is None or not packages.fits(each.version, each.specifier)
    ]
    if not poor and wanted:
        return Check(EXTRAS[extra], State.GOOD, say("ready"))
    shown = say("missing: {names}", names=", ".join(poor) or extra)
    return Check(EXTRAS[extra], State.POOR, shown, extra_command(extra))


def _gradebook(place: str) -> Check:
    """Whether the gradebook can be read and written, or one can be created there."""
    from tapelab.grading.gradebook import Gradebook
    from tapelab.grading.gradebook.database import check_database

    try:
        there = "://" in place or Path(place).exists()
        if there:
            check_database(place)
        if "://" in place:
            return Check(GRADEBOOK, State.GOOD, place)
        folder = Path(place).absolute().parent
        for path in (folder, *([Path(place)] if there else [])):
            if not os.access(path, os.W_OK):
                cure = shlex.join(["chmod", "u+w", str(path)])
                shown = say("{path} cannot be written", path=path)
                return Check(GRADEBOOK, State.POOR, shown, cure)
        # A network drive takes files, but not the locks of a database.
        with tempfile.TemporaryDirectory(dir=folder, prefix=".tapelab-") as trial:
            Gradebook.open(Path(trial) / "trial.db").close()
    except (Complaint, OSError) as error:
        cure = say("Name another one: {command}", command="export TAPELAB_GRADEBOOK=course.db")
        return Check(GRADEBOOK, State.POOR, str(error), cure)
    shown = place if there else say("{place} can be created", place=place)
    return Check(GRADEBOOK, State.GOOD, shown)


def _key(file: Path) -> Check:
    """Whether the private key for LTI is one, and is kept to oneself."""
    from tapelab.grading.formats.lti import OwnKey

    if file.stat().st_mode & 0o077:
        shown = say("{file} can be read by others", file=file)
        return Check(KEY, State.POOR, shown, shlex.join(["chmod", "600", str(file)]))
    try:
        OwnKey(file.read_text("utf-8")).published()
    except (AttributeError, KeyError, OSError, TypeError, ValueError):
        old, new = shlex.quote(f"{file}.old"), shlex.quote(str(file))
        cure = f"mv {new} {old} && tapelab gradebook lti-key {new}"
        return Check(KEY, State.POOR, say("{file} is not an RSA key", file=file), cure)
    return Check(KEY, State.GOOD, str(file))


def _sandbox() -> Check:
    """What holds a student's code while it is graded, tried with an attack of each kind."""
    from tapelab.grading.sandbox.backends import BACKENDS, UNSAFE
    from tapelab.grading.sandbox.probe import contained_attacks

    reasons = []
    for backend in BACKENDS:
        if backend.name == UNSAFE:
            continue
        if why_not := backend.why_not():
            reasons.append(f"{backend.name}: {why_not}")
            continue
        open_ = [hazard for hazard, held in contained_attacks(backend).items() if not held]
        shown = f"{backend.name} × {', '.join(open_)}" if open_ else backend.name
        return Check(SANDBOX, good_if(not open_), shown, _install_sandbox() if open_ else "")
    shown = say("nothing here can hold a learner's code") + f" ({'; '.join(reasons)})"
    return Check(SANDBOX, State.POOR, shown, _install_sandbox())


def _install_sandbox(settings: Path = Path("/proc/sys")) -> str:
    """The command that makes a sandbox work here."""
    if not sys.platform.startswith("linux"):
        return "podman build --tag tapelab-grading --file binder/cluster/Containerfile ."
    for name, (forbids, allows) in _SWITCHES.items():
        file = settings / name
        if file.is_file() and file.read_text().strip() == forbids:
            return f"sudo sysctl -w {name.replace('/', '.')}={allows}"
    return install_program("bubblewrap")
