"""Find words that the project has replaced: python -m tools.vocabulary [PATH ...].

docs/reference/glossary.md defines the project's words; they are the field's. This module lists the
words that earlier versions used in their place, and finds them: in names (each part of
`snake_case` and `camelCase` counts), in sentences (docstrings, comments, strings, Markdown and
notebooks), and in the names of modules. tests/architecture/test_vocabulary.py allows no hit but
the exceptions below, each with its reason.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypeGuard

ROOT: Final = Path(__file__).parents[1]
FOLDERS: Final = ("tapelab", "tests", "tools", "benchmarks", "extension/src", "docs", "notebooks")
FILES: Final = ("README.md", "CONTRIBUTING.md", "SECURITY.md")
BUILT: Final = ("tapelab/static/", "tapelab/labextension/", "docs/surface/")

NAMES: Final = {
    "told": "described, reported, recorded, message",
    "tell": "describe, report, record",
    "tells": "describes, reports, records",
    "telling": "description, report, event list",
    "heard": "recorded (on a tape)",
    "hear": "record, observe",
    "hears": "records, observes",
    "hearing": "recorded calls",
    "listens": "is active",
    "listening": "active tapes",
    "listeners": "recording_tapes",
    "heed": "observe, register",
    "lanes": "batch axis, SIMD vector, edge route, byte plane",
    "lane": "batch axis, SIMD vector, edge route, byte plane",
    "walled": "behind a stop_gradient boundary",
    "asked": "gradient call, requested",
    "asking": "gradient call, request",
    "adjoint": "cotangent, upstream gradient",
    "adjoints": "cotangents, upstream gradients",
    "slope": "derivative, local derivative",
    "slopes": "derivatives, local derivatives",
    "birth": "first NaN or infinity",
    "births": "first NaN or infinity",
    "born": "first NaN or infinity",
    "spoiled": "non-finite, poisoned value",
    "spoilt": "non-finite, poisoned value",
    "doors": "dispatch",
    "doorways": "dispatch",
    "habits": "shape cache",
    "worlds": "environments of a trace",
    "memento": "tape snapshot",
    "crowds": "columnar encoding",
    "reel": "timeline",
    "road": "edge",
    "roads": "edges",
    "witness": "replay verifier",
    "crew": "process pool",
    "sitting": "worker session",
    "papers": "attachments",
    "dressed": "wrapped",
    "aside": "host computation",
    "glancing": "shape query",
    "handing": "propagation",
    "wayback": "backward pass",
}
"""Parts of names that are not used, with what to write instead."""

SENTENCES: Final = {
    r"ways? back": "backward pass",
    r"ways? forward|way there": "forward pass",
    r"(?:go|goes|going|went) back": "backward pass, propagate",
    r"(?<!by )hand(?:s|ed|ing)? (?:it |them )?(?:back|on|over)": "propagate, pass on, dispatch",
    r"slopes?(?!-three-ways)": "derivative",  # but for the file of lesson 01
    r"adjoints?": "cotangent, upstream gradient",
    r"(?:short|long) way": "fast path, slow path",
    r"at a glance": "fast path, directly",
    r"laid flat|lays? flat": "flattened, flatten",
    r"dressed": "wrapped",
    r"whole numbers?": "integers",
    r"how long along": "shape, size",
    r"reel": "timeline",
    r"roads?": "edge",
    r"births?": "first NaN or infinity",
    r"spoil(?:ed|s|t)": "non-finite, poisoned",
    r"nobody": "say who or what does it",
    r"let(?:s|ting)? go of": "released",
    r"hears?|heard|hearing": "recorded (on a tape)",
    r"listen(?:s|ed|ing)": "is active, observes",
    r"told": "described, reported, recorded",
    r"anew": "again",
    r"look(?:s|ed)? (?:it|them) up": "reads",
    r"kept still|still picture": "static figure",
}
"""Phrases that are not used in sentences, as regular expressions, with what to write instead."""


class Hit(NamedTuple):
    """A replaced word: the file, its line from 1, the word, and what to write instead."""

    path: str
    line: int
    word: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.word!r}: {self.instead}"


class Allowed(NamedTuple):
    """A replaced word that is right in some files, and why."""

    path: str
    word: str
    because: str


PUBLIC: Final = frozenset({
    *("adjoint", "adjoint_a", "adjoint_b", "self_adjoint_eig", "self_adjoint_eigvals"),
    "negative_slope",
    "Asked",
})  # fmt: skip
"""Names that stay as they are: of TensorFlow's and Keras's interface, and, as `Asked`, the event
class of a gradient call, of the format of stored recordings."""

CURVE: Final = "the slope of the curve that a figure draws"
EVENT: Final = "the tag of an event, which stored recordings hold"

ALLOWED: Final = (
    Allowed("docs/explanation/design.md", "adjoint", "names the word that texts avoid"),
    Allowed("docs/explanation/literature.md", "adjoint", "the title of a paper"),
    Allowed("docs/reference/glossary.md", "adjoint", "names the older word for a cotangent"),
    Allowed("docs/reference/glossary.md", "slope", "explains a derivative as the slope of a curve"),
    Allowed("extension/src/core/views/whatif.ts", "slope", CURVE),
    Allowed("notebooks/01", "slope", "explains a derivative as the slope of a curve"),
    Allowed("notebooks/08", "slope", "keys of answers, which submitted notebooks hold"),
    Allowed("notebooks/11", "slope", "keys of answers, which submitted notebooks hold"),
    Allowed("notebooks/glossary.ipynb", "adjoint", "names the older word for a cotangent"),
    Allowed("notebooks/glossary.ipynb", "slope", "explains a derivative as the slope of a curve"),
    Allowed("notebooks/solutions/", "adjoint", "as in the notebooks without solutions"),
    Allowed("notebooks/solutions/", "slope", "as in the notebooks without solutions"),
    Allowed("notebooks/src/01", "slope", "explains a derivative as the slope of a curve"),
    Allowed("notebooks/src/08", "slope", "keys of answers, which submitted notebooks hold"),
    Allowed("notebooks/src/11", "slope", "keys of answers, which submitted notebooks hold"),
    Allowed("tapelab/exercises/lessons/", "slope", "keys of submitted answers"),
    Allowed("tapelab/exercises/lessons/lesson_03.py", "aside", "the name of a tensor in a task"),
    Allowed("tapelab/grading/gradebook/database.py", "listens", "SQLAlchemy's listens_for"),
    Allowed("tapelab/grading/protocol.py", "tell", "Python's name of a position in a file"),
    Allowed("tapelab/grading/sandbox/namespaces.py", "nobody", "the Unix user of that name"),
    Allowed("tapelab/raw_ops.py", "adjoint", "an attribute of TensorFlow's raw ops"),
    Allowed("tapelab/ops/", "adjoint", "the conjugate transpose of a matrix"),
    Allowed("tapelab/views/what_if_page.py", "slope", CURVE),
    Allowed("tests/architecture/test_vocabulary.py", "", "examples of the words"),
    Allowed("tests/cli/test_exchange_commands.py", "slope", "a course on the slope of a curve"),
    Allowed("tests/cli/test_exchange_commands.py", "slopes", "a course on the slope of a curve"),
    Allowed("tests/conformance/fuzzing/", "adjoint", "an argument of TensorFlow's functions"),
    Allowed("tests/exercises/lessons/", "slope", "keys of answers"),
    Allowed("tests/fixtures/scenes.py", "slope", "source text that stored recordings hold"),
    Allowed("tests/grading/formats/", "slope", "a course on the slope of a curve"),
    Allowed("tests/grading/formats/", "slopes", "a course on the slope of a curve"),
    Allowed("tests/grading/reports/test_similarity.py", "slope", "the slope of a parabola"),
    Allowed("tests/grading/test_protocol.py", "tell", "Python's name of a position in a file"),
    Allowed("tests/lessons/test_translations.py", "slopes", "the file of lesson 01"),
    Allowed("tests/ops/", "adjoint", "the adjoint of a matrix or of a linear map"),
    Allowed("tests/tutorials/tutorial_0.md", "slope", "the slope of a line"),
    Allowed("tests/ui/test_gallery.py", "slope", CURVE),
    Allowed("tests/views/test_json_export.py", "asked", EVENT),
    Allowed("tests/widgets/test_what_if.py", "slope", CURVE),
    Allowed("tools/vocabulary.py", "", "the list of the words itself"),
)

ING_MODULES: Final = {
    "answering": "the former name of step_runner, which imported exercises hold",
    "finding": "the noun of what a diagnosis returns; `Finding` is its class",
    "recording": "the noun of what tapelab makes; `Recording` is its class",
    "grading": "the field's name of the activity",
    "authoring": "the field's name of writing exercises",
    "broadcasting": "NumPy's term",
    "batching": "JAX's and TensorFlow's term",
    "debugging": "TensorFlow's namespace tf.debugging",
    "pooling": "the field's term for pooling layers",
    "preprocessing": "Keras's namespace tf.keras.preprocessing",
    "saving": "Keras's namespace tf.keras.saving",
    "training": "the field's term, and Keras's name for that half of a model",
    "event_encoding": "the field's term for a format of data",
    "interning": "the term of compilers and runtimes for keeping equal values once",
    "lowering": "the compiler term",
}
"""Modules that may end in -ing, and why."""

SHARED: Final = {
    "activation": "the ops, and the Keras layers made of them",
    "config": "TensorFlow's namespaces tf.config and tf.keras.config",
    "convolution": "the ops, and the kernels that compute them",
    "experimental": "TensorFlow's namespaces tf.experimental, data.experimental and so on",
    "losses": "the ops, and the Keras losses made of them",
    "normalization": "the ops, and the Keras layers made of them",
    "pooling": "the ops, the kernels that compute them, and the Keras layers made of them",
}
"""Base names that several modules may have, and why."""

VAGUE: Final = frozenset({"found", "made", "told", "thing"})
"""Names of variables that say nothing of their content."""

_HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PROSE: Final = re.compile(
    rf"\b(?:{'|'.join(f'(?:{each})' for each in SENTENCES)})\b", re.IGNORECASE
)
_TYPESCRIPT: Final = re.compile(
    r"(?P<prose>/\*.*?\*/|//[^\n]*|\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`)|(?P<name>[A-Za-z_$][\w$]*)",
    re.DOTALL,
)


def parts(identifier: str) -> list[str]:
    """The words of an identifier in snake_case or camelCase, in lower case."""
    return [part.lower() for part in _HUMPS.findall(identifier)]


def hits_in_name(path: str, line: int, identifier: str) -> Iterator[Hit]:
    """The replaced words among the parts of an identifier."""
    for part in parts(identifier) if identifier.strip("\"'") not in PUBLIC else ():
        if part in NAMES:
            yield Hit(path, line, part, NAMES[part])


def hits_in_prose(path: str, line: int, text: str) -> Iterator[Hit]:
    """The replaced phrases of a text that begins at a line."""
    for match in _PROSE.finditer(text):
        phrase = " ".join(match.group().lower().split())
        instead = next(word for form, word in SENTENCES.items() if re.fullmatch(form, phrase))
        yield Hit(path, line + text.count("\n", 0, match.start()), phrase, instead)


def hits_in_python(path: str, source: str) -> Iterator[Hit]:
    """The replaced words in Python code: names, and sentences of strings and comments."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            yield from hits_in_name(path, token.start[0], token.string)
        elif token.type in {tokenize.STRING, tokenize.COMMENT}:
            text = token.string
            if re.fullmatch(r"[\"'][\w.-]+[\"']", text):
                yield from hits_in_name(path, token.start[0], text)
            else:
                yield from hits_in_prose(path, token.start[0], text)


def hits_in_typescript(path: str, source: str) -> Iterator[Hit]:
    """The replaced words in TypeScript or CSS: names, and sentences of strings and comments."""
    for match in _TYPESCRIPT.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        text = match.group()
        if match["name"] or re.fullmatch(r"[\"'`][\w.-]+[\"'`]", text):
            yield from hits_in_name(path, line, text)
        else:
            yield from hits_in_prose(path, line, text)


def hits_in_notebook(path: str, source: str) -> Iterator[Hit]:
    """The replaced phrases in the cells of a notebook; the line is the number of the cell."""
    for number, cell in enumerate(json.loads(source)["cells"], 1):
        for hit in hits_in_prose(path, 1, "".join(cell["source"])):
            yield hit._replace(line=number)


READERS: Final = {
    ".py": hits_in_python,
    ".ts": hits_in_typescript,
    ".css": hits_in_typescript,
    ".md": lambda path, source: hits_in_prose(path, 1, source),
    ".ipynb": hits_in_notebook,
}


def is_allowed(hit: Hit) -> bool:
    """Whether an exception covers a hit."""
    return any(hit.path.startswith(each.path) and each.word in {"", hit.word} for each in ALLOWED)


def tracked(paths: Iterable[str] = (*FOLDERS, *FILES)) -> list[str]:
    """The files of the repository below some paths that people write."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", *paths],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    names = [name for name in listed.splitlines() if not name.startswith(BUILT)]
    return sorted(name for name in names if (ROOT / name).is_file())


@cache
def hits_in_file(name: str) -> tuple[Hit, ...]:
    """All replaced words of one file, exceptions included."""
    reader = READERS.get(Path(name).suffix)
    source = (ROOT / name).read_text(encoding="utf-8") if reader is not None else ""
    return tuple(reader(name, source)) if reader is not None else ()


def all_hits(paths: Iterable[str] = (*FOLDERS, *FILES)) -> list[Hit]:
    """All replaced words below some paths, exceptions included."""
    return [hit for name in tracked(paths) for hit in hits_in_file(name)]


def hits(paths: Iterable[str] = (*FOLDERS, *FILES)) -> list[Hit]:
    """All replaced words below some paths, but for the exceptions."""
    return [hit for hit in all_hits(paths) if not is_allowed(hit)]


def module_names(package: str = "tapelab") -> set[str]:
    """The base names of all modules and packages."""
    paths = {Path(name).with_suffix("") for name in tracked([package]) if name.endswith(".py")}
    return {path.name for path in paths | {path.parent for path in paths}}


def ing_modules(package: str = "tapelab") -> list[str]:
    """The modules and packages whose names end in -ing without a reason."""
    names = {Path(name).with_suffix("") for name in tracked([package]) if name.endswith(".py")}
    names |= {name.parent for name in names}
    return sorted(
        str(name) for name in names if name.name.endswith("ing") and name.name not in ING_MODULES
    )


def shared_base_names(package: str = "tapelab") -> dict[str, list[str]]:
    """The base names that several modules share, with their paths."""
    modules = defaultdict(list)
    for name in tracked([package]):
        if name.endswith(".py") and not name.endswith(("__init__.py", "__main__.py")):
            modules[Path(name).stem].append(name)
    return {base: paths for base, paths in sorted(modules.items()) if len(paths) > 1}


def vague_names_in(source: str) -> list[str]:
    """The variables and parameters of functions that are named by no content."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            stored = {
                *(each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)),
                *(each.id for each in ast.walk(node) if _is_stored_name(each)),
            }
            names += [f"{node.name}: {name}" for name in sorted(stored & VAGUE)]
    return names


def _is_stored_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def vague_names(package: str = "tapelab") -> list[str]:
    """The variables of a package that are named by no content, each with its file."""
    return [
        f"{path}: {name}"
        for path in tracked([package])
        if path.endswith(".py")
        for name in vague_names_in((ROOT / path).read_text(encoding="utf-8"))
    ]


def main(paths: list[str]) -> int:
    """Print the hits below some paths, and how often each word stands there."""
    found = hits(paths or (*FOLDERS, *FILES))
    for hit in found:
        print(hit)
    for word, count in Counter(hit.word for hit in found).most_common():
        print(f"{count:6} {word}")
    for module in ing_modules():
        if not paths or module.startswith(tuple(paths)):
            print(f"module in -ing: {module}")
    for base, modules in shared_base_names().items():
        if base in SHARED:
            continue
        if not paths or any(each.startswith(tuple(paths)) for each in modules):
            print(f"base name {base}: {', '.join(modules)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
