"""Imports point down: a module sees its own layer and those below, never one above."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools.layers import LAYERS

PACKAGE = Path(__file__).parents[2] / "tapelab"

LAYER_OF = {name: number for number, layer in enumerate(LAYERS) for name in layer.modules}


def package_of(module: str) -> str:
    """The package of `tapelab.core.tape` is `core`, that of `tapelab` itself is `tapelab`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_packages(tree: ast.AST, modules: set[str]) -> set[str]:
    """Find the packages of tapelab that a module imports from, at its top or in a function."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            within = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= (within & modules) or {node.module}
    return {package_of(name) for name in names if name.split(".")[0] == "tapelab"}


def climbs(module: str, source: str, modules: set[str]) -> list[str]:
    """Name the packages above its own that a module imports from."""
    own = LAYER_OF[package_of(module)]
    packages = imported_packages(ast.parse(source), modules)
    return sorted(package for package in packages if LAYER_OF.get(package, own) > own)


FILES = {
    module_name(path): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if not any(part.startswith("_") for part in path.relative_to(PACKAGE).parts[:-1])
}


def test_every_module_has_a_layer():
    missing = {package_of(module) for module in FILES} - set(LAYER_OF)
    assert not missing, f"Give these modules a layer in tools/layers.py: {missing}"


def test_the_table_names_only_modules_that_exist():
    assert set(LAYER_OF) - {package_of(module) for module in FILES} == set()


@pytest.mark.parametrize("module", [name for name in FILES if package_of(name) in LAYER_OF])
def test_a_module_imports_only_from_its_layer_and_those_below(module):
    assert climbs(module, FILES[module].read_text(encoding="utf-8"), set(FILES)) == []


def test_relative_imports_are_not_used_because_they_hide_the_layer():
    relative = [
        module
        for module, path in FILES.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


@pytest.mark.parametrize(
    ("module", "source", "above"),
    [
        ("tapelab.core.tape", "from tapelab.views.svg import draw", ["views"]),
        ("tapelab.core.tape", "def f():\n    import tapelab.widgets.explorer", ["widgets"]),
        ("tapelab.recording.codec", "from tapelab import kernels", ["kernels"]),
        ("tapelab.kernels.linalg", "from tapelab import Tensor", ["tapelab"]),
        ("tapelab.views.svg", "from tapelab.recording import Recording", []),
        ("tapelab.exercises.checks", "import tapelab as tf", []),
    ],
)
def test_an_import_from_above_is_noticed_and_one_from_below_is_not(module, source, above):
    assert climbs(module, source, {"tapelab.kernels"}) == above
