"""`exercises.py` for learners: no private check, and of a hidden one only title and points.

The syntax tree is rewritten, so that comments vanish too; what only removed checks used goes with
them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from tapelab.authoring.work import WorkError

PRIVATE, HIDDEN = "private", "hidden"
KEPT: Final = {"EXERCISES", "TITLE", "FILES", "COUNT_HINTS", "LIMITS"}
"""Names that are read by others, so that they stay although nothing in the file uses them."""

SHORTEST: Final = 4
"""Shorter texts of removed checks are words that stand everywhere."""


def stripped(script: str) -> str:
    """The text of `exercises.py` as learners get it."""
    tree = ast.parse(script)
    tree = _Stripper(_marked_names(tree), _decorated(tree)).visit(tree)
    if HIDDEN in _marks_of(ast.parse(script)):
        _import_promised(tree)
    _without_unused(tree)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def secrets(script: str) -> list[str]:
    """Texts that learners must not meet: those of removed checks, and of all that they needed."""
    tree = ast.parse(script)
    names, decorated = _marked_names(tree), _decorated(tree)
    removed = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _mark(node, names)]
    inside = {id(node) for call in removed for node in ast.walk(call)}
    promises = [call for call in removed if _mark(call, names) == HIDDEN]
    inside -= {id(_title_and_points(call, decorated)[0]) for call in promises}
    kept = {text for _, text in _texts(ast.parse(stripped(script)))}
    gone = {text for at, text in _texts(tree) if at not in inside and text not in kept}
    hidden = {text for at, text in _texts(tree) if at in inside}
    alone = {each for each in hidden if not any(each in text for text in kept)}
    return sorted(each for each in alone | gone if len(each) >= SHORTEST)


def _texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts in a tree, each with the identity of its place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield id(node), node.value


class _Stripper(ast.NodeTransformer):
    """Leaves private checks out of tuples, lists and calls, and puts promises for hidden ones."""

    def __init__(self, names: dict[str, str], decorated: dict[str, ast.Call]) -> None:
        self._names = names
        self._decorated = decorated

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        node.elts = list(self._kept(node.elts))
        return self.generic_visit(node)

    def visit_List(self, node: ast.List) -> ast.AST:
        node.elts = list(self._kept(node.elts))
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        names = {each.id for each in node.targets if isinstance(each, ast.Name)}
        return None if names & set(self._names) else self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        marked = isinstance(node.target, ast.Name) and node.target.id in self._names
        return None if marked else self.generic_visit(node)

    def _kept(self, nodes: Iterable[ast.expr]) -> Iterator[ast.expr]:
        for node in nodes:
            inner = node.value if isinstance(node, ast.Starred) else node
            mark = _mark(inner, self._names) or (_marks_of(node) if inner is not node else "")
            if not mark:
                yield node
            elif mark == HIDDEN:
                yield _promise(inner, self._decorated)


def _mark(node: ast.AST, names: dict[str, str]) -> str:
    """`private` or `hidden` where a check is one, by its own chain of calls or by its name."""
    if isinstance(node, ast.Name):
        return names.get(node.id, "")
    mark = ""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in (PRIVATE, HIDDEN) and not mark:
            mark = node.func.attr
        node = node.func.value
    return mark


def _marks_of(tree: ast.AST) -> str:
    marks = {_mark(node, {}) for node in ast.walk(tree)}
    return next((each for each in (HIDDEN, PRIVATE) if each in marks), "")


def _marked_names(tree: ast.Module) -> dict[str, str]:
    """Names at the top of the file that stand for a private or hidden check."""
    names = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else (
            [node.target] if isinstance(node, ast.AnnAssign) else [])  # fmt: skip
        value = getattr(node, "value", None)
        mark = _mark(value, {}) if value is not None else ""
        names.update({each.id: mark for each in targets if mark and isinstance(each, ast.Name)})
    return names


def _decorated(tree: ast.Module) -> dict[str, ast.Call]:
    """The call that decorates each function at the top of the file, as in `@check("Title", 2)`."""
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    calls = ((each.name, call) for each in functions for call in each.decorator_list)
    return {name: call for name, call in calls if isinstance(call, ast.Call)}


def _promise(node: ast.expr, decorated: dict[str, ast.Call]) -> ast.expr:
    if isinstance(node, ast.Name):
        raise WorkError(
            f"The hidden check {node.id} stands apart from the list of checks. Write it there, "
            "so that its title and points can be kept."
        )
    title, points = _title_and_points(node, decorated)
    return ast.Call(ast.Name("promised", ast.Load()), [title, points], [])


def _title_and_points(node: ast.expr, decorated: dict[str, ast.Call]) -> tuple[ast.expr, ast.expr]:
    """The first two arguments of the call that makes the check, or that decorates its function."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        made_by = node.func.value
        if isinstance(made_by, ast.Name) and made_by.id in decorated:
            made_by = decorated[made_by.id]
        if not isinstance(made_by, ast.Call):
            break
        node = made_by
    given = node.args if isinstance(node, ast.Call) else []
    named = {each.arg: each.value for each in node.keywords} if isinstance(node, ast.Call) else {}
    arguments = [*given[:2], *(named[each] for each in ("title", "points") if each in named)]
    if len(arguments) != 2:
        line = getattr(node, "lineno", "?")
        raise WorkError(f"The hidden check in line {line} does not begin with title and points.")
    return arguments[0], arguments[1]


def _import_promised(tree: ast.Module) -> None:
    wanted = ast.ImportFrom("tapelab.exercises.check", [ast.alias("promised")], 0)
    kinds = ast.Import | ast.ImportFrom
    imports = (at for at, node in enumerate(tree.body) if isinstance(node, kinds))
    first = (at for at in imports if _defined(tree.body[at]) is not None)
    tree.body.insert(next(first, 0), wanted)


def _without_unused(tree: ast.Module) -> None:
    """Drop what is defined or imported and never used, again and again, until all is used."""
    while True:
        used = [_used(node) for node in tree.body]
        kept = []
        for at, node in enumerate(tree.body):
            needed = KEPT.union(*used[:at], *used[at + 1 :])
            if isinstance(node, ast.Import | ast.ImportFrom) and _defined(node) is not None:
                node.names = [each for each in node.names if _given(each) in needed]
            defined = _defined(node)
            if defined is None or defined & needed:
                kept.append(node)
        if len(kept) == len(tree.body):
            return
        tree.body = kept


def _given(name: ast.alias) -> str:
    """What an import calls a thing in this file."""
    return (name.asname or name.name).partition(".")[0]


def _used(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}  # fmt: skip


def _defined(node: ast.stmt) -> set[str] | None:
    """The names that a statement gives; None for one that does something else."""
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return None
    if isinstance(node, ast.Import | ast.ImportFrom):
        return set(map(_given, node.names))
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    if isinstance(node, ast.Assign):
        names = [each for target in node.targets for each in ast.walk(target)]
        return {each.id for each in names if isinstance(each, ast.Name)}
    return None
