"""No module of tapelab needs one that needs it: lazy and type-only imports count as well.

Every `import` statement is an edge, wherever it stands: at the top of a file, inside a function, or
under `if TYPE_CHECKING`; so is `import_module("…")` with a name written out. `from package import
name` leads to the module `package.name` if there is one, else to `package`. That a package is
loaded with each of its modules is Python's own doing and no edge. Relative imports are not used:
see test_layers.py.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "tapelab"

Graph = Mapping[str, set[str]]


def module_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(source: str, module: str, modules: Iterable[str]) -> set[str]:
    """The modules among the given ones that a module imports, wherever the statement stands."""
    known, found = set(modules), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            within = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in known else node.module for name in within}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            found |= {each.value for each in node.args if isinstance(each, ast.Constant)}
    return (found & known) - {module}


def import_graph(package: Path) -> dict[str, set[str]]:
    """For each module of a package the modules of it that it imports."""
    files = {module_name(path, package.parent): path for path in sorted(package.rglob("*.py"))}
    return {
        module: imported(path.read_text(encoding="utf-8"), module, files)
        for module, path in files.items()
    }


def reachable(graph: Graph, start: str) -> set[str]:
    """The modules that one leads to, itself only if it stands in a cycle."""
    seen: set[str] = set()
    waiting = [*graph[start]]
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += graph[module]
    return seen


def cycles(graph: Graph) -> list[list[str]]:
    """The strongly connected components of more than one module, each sorted."""
    ahead = {module: reachable(graph, module) for module in graph}
    components = {
        frozenset(other for other in ahead[module] if module in ahead[other])
        for module in graph
        if module in ahead[module]
    }
    return sorted(sorted(component) for component in components)


GRAPH = import_graph(PACKAGE)


def test_no_modules_import_one_another_in_a_circle():
    components = cycles(GRAPH)
    edges = [
        f"{module} -> {', '.join(sorted(GRAPH[module] & set(component)))}"
        for component in components
        for module in component
    ]
    assert not components, "These imports form cycles:\n" + "\n".join(edges)


PLAIN = {"low": "import json", "high": "from made.low import x"}


@pytest.mark.parametrize(
    ("files", "component"),
    [
        (PLAIN, None),
        ({"a": "import made.b", "b": "import made.a"}, ["made.a", "made.b"]),
        (
            {"a": "from made.b import x", "b": "def f():\n    from made.a import y"},
            ["made.a", "made.b"],
        ),
        (
            {
                "a": "from made import b",
                "b": "import typing\nif typing.TYPE_CHECKING:\n    from made.c import C",
                "c": "class C:\n    def f(self):\n        import made.a",
            },
            ["made.a", "made.b", "made.c"],
        ),
        (
            {
                "a": "import made.b",
                "b": "import made.c",
                "c": "from importlib import import_module\nb = import_module('made.b')",
            },
            ["made.b", "made.c"],
        ),
        (
            {"part/__init__": "from made.part.a import x", "part/a": "from made import part"},
            ["made.part", "made.part.a"],
        ),
        ({"part/__init__": "from made.part.a import x", "part/a": "import made.b", "b": ""}, None),
    ],
    ids=["none", "direct", "lazy", "type-only", "by-name", "of-a-package", "parent"],
)
def test_a_cycle_is_found_in_lazy_and_type_only_imports(tmp_path, files, component):
    package = tmp_path / "made"
    for name, source in files.items():
        path = package / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    assert cycles(import_graph(package)) == ([component] if component else [])


def test_two_cycles_that_share_no_module_are_separate():
    graph = {"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"c"}, "e": {"a"}}
    assert cycles(graph) == [["a", "b"], ["c", "d"]]
