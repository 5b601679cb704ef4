"""Names of a package that are imported from their files on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tapelab.namespace.missing_names import missing


def offered(
    package: str, table: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a `__getattr__` and a `__dir__` for a package, from a table of names by file."""
    homes = {name: home for home, names in table.items() for name in names.split()}

    def find(name: str) -> Any:
        if name in homes:
            home = homes[name]
            module = home if home.startswith("tapelab.") else f"{package}.{home}"
            value = getattr(import_module(module), name)
            setattr(sys.modules[package], name, value)
            return value
        if not name.startswith("_") and find_spec(f"{package}.{name}"):
            return import_module(f"{package}.{name}")
        raise missing(package, name)

    def names() -> list[str]:
        return sorted(homes)

    return find, names
