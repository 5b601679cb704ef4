"""The front-end's imports form no cycle and point down, type-only and lazy ones included.

An import is an edge from one file to another, whatever its form: of values, of types, a re-export,
a type query, or `import()` at run time. Files that import each other cannot be read one after the
other. The cure is a module of plain data or of signatures below both, or a parameter.
"""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path, PurePosixPath

import pytest

EXTENSION = Path(__file__).resolve().parents[2] / "extension"
SOURCES = EXTENSION / "src"

CORE = (
    "schema graph explanation whatif carried cellcode",  # plain data
    "film live words replays",  # plain data, words on screen, questions to a kernel
    "dom text mathematics mathml compression clipboard",  # elements, formulas, bytes: of any page
    "numbers columns events recording measures previews planes",  # the recording
    "indexmaps tensorrules tensorgrid",  # which entries of tensors belong together
    "table graphbuilder buildgraph groups model stepstate flow memory watched predict equations",
    "repeats folds inputfolder foldbuilder folded",  # what is drawn as one node
    "layers clusters layout routes chart boxes edgetexts labels brokenpath",  # where it is drawn
    "stops state foldactions iterations appearance scene entries nudge",  # what is looked at
    "framelayout fullscreen legibility",  # how much room its parts have
    "search walk spoken",  # what is found there, and what a screen reader says of it
    "extras",  # the signatures of the views that may come later
    "shortcuts store",  # what keys do, and the only state that changes
    "views",  # elements for a state
    (
        "styles root viewport player panzoom keyboard overlayfocus scroll sliderstate drawings"
        " viewfinder strips paper glide explorer mount"
        " livepanel filmpanel"  # a page in step with a store
    ),
)
LAYERS = (
    *({f"core/{name}" for name in names.split()} for names in CORE),
    {"extras"},  # the views that may come later
    {"widget", "standalone", "labplugin"},  # where the renderer runs
)
LAYER_OF = {name: number for number, names in enumerate(LAYERS) for name in names}

IMPORT = re.compile(
    r"""^\s*(?:import|export)\b[^'"();]*?\bfrom\s*['"](?P<named>[^'"]+)['"]"""
    r"""|^\s*import\s*['"](?P<bare>[^'"]+)['"]"""
    r"""|\bimport\s*\(\s*['"](?P<called>[^'"]+)['"]""",
    re.MULTILINE,
)


def specifiers(source: str) -> list[str]:
    """Return what a TypeScript or JavaScript file imports, as it is written there."""
    return [next(filter(None, match.groups())) for match in IMPORT.finditer(source)]


def resolve(importer: Path, specifier: str) -> Path:
    """Return the file that a relative import names; TypeScript writes `.js` for its own files."""
    path = (importer.parent / specifier).resolve()
    typescript = path.with_suffix(".ts")
    file = typescript if path.suffix == ".js" and typescript.is_file() else path
    assert file.is_file(), f"{importer} imports {specifier}, which is no file."
    return file


def imported_files(file: Path) -> set[Path]:
    """Return the files that a file imports, packages left out."""
    names = specifiers(file.read_text(encoding="utf-8"))
    return {resolve(file, name) for name in names if name.startswith(".")}


def a_cycle(files: list[Path], root: Path) -> list[str]:
    """Name the files of one import cycle in their order, the first one again at the end."""
    try:
        TopologicalSorter({file: imported_files(file) for file in files}).prepare()
    except CycleError as error:
        # Its path leads from an imported file to the one that imports it.
        return [file.relative_to(root).as_posix() for file in reversed(error.args[1])]
    return []


def module_name(file: Path) -> str:
    """`extension/src/core/views/graph.ts` is the module `core/views/graph`."""
    return file.relative_to(SOURCES).with_suffix("").as_posix()


def layer_of(module: str) -> int | None:
    """Return the number of a module's layer, or that of the folder around it."""
    path = PurePosixPath(module)
    layers = (LAYER_OF.get(str(name)) for name in (path, *path.parents))
    return next((layer for layer in layers if layer is not None), None)


def climbs(module: str, imported: set[str]) -> list[str]:
    """Name the modules of the layers above its own that a module imports."""
    own = layer_of(module)
    return sorted(name for name in imported if (layer_of(name) or 0) > (own or 0))


MODULES = {
    module_name(file): file for file in sorted(SOURCES.rglob("*.ts")) if ".d." not in file.name
}
FILES = [*MODULES.values(), *(EXTENSION / "test").glob("*.ts"), *EXTENSION.glob("*.mjs")]


def test_no_file_of_the_front_end_imports_itself_by_way_of_others():
    assert len(FILES) > 100
    cycle = a_cycle(FILES, EXTENSION)
    assert not cycle, " → ".join(cycle)


def test_every_module_has_its_layer_and_every_name_of_a_layer_its_module():
    missing = [module for module in MODULES if layer_of(module) is None]
    assert not missing, f"Give these modules a layer in {Path(__file__).name}: {missing}"
    gone = [name for name in LAYER_OF if name not in MODULES and not (SOURCES / name).is_dir()]
    assert gone == []


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_from_its_layer_and_those_below(module):
    files = {file for file in imported_files(MODULES[module]) if file.suffix == ".ts"}
    assert climbs(module, {module_name(file) for file in files}) == []


@pytest.mark.parametrize("module", [name for name in MODULES if not name.startswith("labplugin")])
def test_the_renderer_needs_no_package(module):
    names = specifiers(MODULES[module].read_text(encoding="utf-8"))
    assert [name for name in names if not name.startswith(".")] == []


@pytest.mark.parametrize(
    "statement",
    [
        "import { a } from './a.js';",
        "import a from './a.js';",
        "import * as a from './a.js';",
        "import './a.js';",
        "import type { A } from './a.js';",
        "import { type A } from './a.js';",
        "import {\n  a,\n  type B,\n} from './a.js';",
        "export { a } from './a.js';",
        "export * from './a.js';",
        "export type { A } from './a.js';",
        "const a = await import('./a.js');",
        "const later = () => import(\n  './a.js'\n);",
        "let a: import('./a.js').A;",
        "type A = typeof import('./a.js');",
    ],
)
def test_a_cycle_would_be_noticed_in_whatever_form_it_is_written(tmp_path, statement):
    files = [tmp_path / name for name in ("a.ts", "b.ts", "c.ts")]
    files[0].write_text("import { b } from './b.js';\n")
    files[1].write_text("import { c } from './c.js';\n")
    files[2].write_text(f"export const c = 1;\n{statement}\n")
    cycle = a_cycle(files, tmp_path)
    assert cycle[0] == cycle[-1]
    assert set(pairwise(cycle)) == {("a.ts", "b.ts"), ("b.ts", "c.ts"), ("c.ts", "a.ts")}
    files[2].write_text("// import { a } from './a.js';\nexport const c = 'from ./a.js';\n")
    assert a_cycle(files, tmp_path) == []


@pytest.mark.parametrize(
    ("module", "imported", "above"),
    [
        ("core/state", "core/store", ["core/store"]),
        ("core/extras", "core/views/why", ["core/views/why"]),
        ("core/views/why", "core/explorer", ["core/explorer"]),
        ("core/mount", "labplugin/outline/view", ["labplugin/outline/view"]),
        ("core/views/graph", "extras/terms", ["extras/terms"]),
        ("core/views/graph", "core/views/edges", []),
        ("core/views/graph", "core/extras", []),
        ("labplugin/outline/view", "core/views/parts", []),
    ],
)
def test_an_import_from_above_is_noticed_and_one_from_below_is_not(module, imported, above):
    assert climbs(module, {imported}) == above
