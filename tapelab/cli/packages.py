"""The packages that tapelab asks for, with what is installed and what was tested."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from operator import eq, ge, gt, le, lt, ne
from typing import Final

from tapelab.locales import sentence

OURS: Final = "tapelab"
LAB: Final = "lab"
NEEDED: Final = frozenset({"numpy", "scipy", "ml-dtypes", "jupyterlab", "ipykernel", "typer"})
"""Without these there are no lessons; the others are missed by a part of them."""
WITHOUT: Final = {
    "anywidget": sentence("no live widgets: sliders move over kept moments"),
    "graphviz": sentence("no .dot files"),
    "ipywidgets": sentence("no live widgets: sliders move over kept moments"),
    "llvmlite": sentence("tf.function runs on NumPy, more slowly"),
    "matplotlib": sentence("no .png and .pdf files"),
    "notebook": sentence("no Notebook 7; JupyterLab is enough"),
    "numba": sentence("large arrays run on NumPy, more slowly"),
}
"""What is missed where a package is."""
NEWEST: Final = {
    "anywidget": "0.11",
    "ipykernel": "7.4",
    "ipywidgets": "8.1",
    "jupyterlab": "4.6",
    "notebook": "7.6",
    "numba": "0.68",
    "numpy": "2.4",
}
"""The newest releases that tapelab was tested with; a test holds them against what it runs on."""
_REQUIREMENT: Final = re.compile(r"\s*([\w.-]+)\s*\(?([^;)]*)\)?\s*(?:;\s*(.*))?")
_BOUND: Final = re.compile(r"\s*(>=|<=|==|!=|~=|>|<)\s*([\d.]+)")
_COMPARE: Final = {">=": ge, "<=": le, "==": eq, "!=": ne, ">": gt, "<": lt, "~=": ge}


@dataclass(frozen=True)
class Package:
    """A package that is asked for; its version is None where it is not installed."""

    name: str
    specifier: str
    version: str | None
    newest: str


def wanted(extra: str = "") -> Iterator[Package]:
    """What tapelab itself and its lab extra ask for, or an `extra` alone, as its metadata say."""
    for requirement in _of_ours("Requires-Dist"):
        match = _REQUIREMENT.fullmatch(requirement)
        if not match:
            continue
        of_extra = re.search(rf"extra == .{extra or LAB}\b", match[3] or "")
        if of_extra or not (extra or match[3]):
            name = match[1]
            yield Package(name, match[2].strip(), version_of(name), NEWEST.get(name, ""))


def python_wanted() -> str:
    """The Pythons that tapelab takes, as in >=3.11."""
    return next(iter(_of_ours("Requires-Python")), "")


def _of_ours(field: str) -> list[str]:
    """What our metadata say; nothing where tapelab runs from its sources alone."""
    try:
        return metadata.metadata(OURS).get_all(field) or []
    except metadata.PackageNotFoundError:
        return []


def version_of(name: str) -> str | None:
    """The installed version of a package, if it is installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def fits(version: str, specifier: str) -> bool:
    """Whether a version is within bounds such as >=4.2,<5."""
    own = numbers(version)
    return all(_COMPARE[how](own, numbers(bound)) for how, bound in _BOUND.findall(specifier))


def is_newer(version: str, tested: str) -> bool:
    """Whether a version is of a newer release than the newest one tested."""
    bound = numbers(tested)
    return bool(tested) and numbers(version)[: len(bound)] > bound


def numbers(version: str) -> tuple[int, ...]:
    """The numbers at the beginning of a version, without zeros at their end: 8.1.0rc1 is 8, 1."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    parts = [int(each) for each in release[0].split(".")] if release else [0]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return tuple(parts)
