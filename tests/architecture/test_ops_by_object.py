"""The machinery knows ops as objects: it looks none up by its name, and compares no names.

A rename of an op is then found by a type checker, or by the import, and cannot silently cost
compilation, batching or forward mode.
"""

from __future__ import annotations

import ast
from dataclasses import fields
from pathlib import Path

import pytest

import tapelab as tf
from tapelab.core import core_ops
from tapelab.core.op import RunnableOp

PACKAGE = Path(tf.__file__).parent
MACHINERY = ("core", "compile", "ops", "ragged")
DECLARING = PACKAGE / "core" / "op.py"
MODULES = [path for folder in MACHINERY for path in sorted((PACKAGE / folder).rglob("*.py"))
           if path != DECLARING]  # fmt: skip


def is_name_of_op(node: ast.AST) -> bool:
    """Whether an expression is `op.name` or `….op.name`."""
    if not isinstance(node, ast.Attribute) or node.attr != "name":
        return False
    owner = node.value
    return (isinstance(owner, ast.Name) and owner.id == "op") or (
        isinstance(owner, ast.Attribute) and owner.attr == "op"
    )


def uses_of_names(source: str) -> list[str]:
    """The places of a module that look an op up by its name, or go by the name of an op."""
    places = []
    for node in ast.walk(ast.parse(source)):
        parts: list[ast.AST] = []
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Subscript):
            parts = [node.slice]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            parts = node.args if node.func.attr == "get" else []
        registry = isinstance(node, ast.Name) and node.id == "REGISTRY"
        if registry or any(map(is_name_of_op, parts)):
            places.append(f"line {node.lineno}: {ast.unparse(node)}")
    return places


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_machinery_goes_by_no_name_of_an_op(path):
    assert uses_of_names(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("source", [
    'REGISTRY["add"](x, y)', "REGISTRY.get(name)", 'op.name == "matmul"', "run.op.name in LINEAR",
    "RULES.get(op.name)", "SPELLINGS[each.op.name]",
])  # fmt: skip
def test_a_use_of_a_name_is_noticed(source):
    assert uses_of_names(source)


def test_what_an_op_is_called_may_be_written_down():
    assert not uses_of_names('raise TypeError(f"{op.name}() got {x}")\nSPELLINGS.get(each.op)')


def test_every_core_op_is_installed_and_none_may_be_missing():
    ops = {each.name: getattr(core_ops.CORE, each.name) for each in fields(core_ops.CoreOps)}
    assert {type(op) for op in ops.values()} == {RunnableOp}
    del ops["sum_to"]
    with pytest.raises(TypeError, match="sum_to"):
        core_ops.CoreOps(**ops)
