"""One dispatch: nothing is replaced at run time, and no public function is known by its name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import tapelab as tf
from tests.architecture import frozen
from tests.compile import conftest as compile_suite
from tests.conformance import test_goldens
from tests.keras import conftest as keras_suite

PACKAGE = Path(tf.__file__).parent
MACHINERY = ("core", "compile")


def modules(*folders):
    return [path for folder in folders for path in sorted((PACKAGE / folder).rglob("*.py"))]


def public_names():
    """The names of public functions that no one would use for anything else in machinery."""
    groups = (tf, tf.math, tf.nn, tf.linalg, tf.random, tf.image, tf.strings, tf.signal)
    names = {name for group in groups for name in dir(group) if callable(getattr(group, name))}
    return {name for name in names if "_" in name.strip("_") and not name.startswith("_")}


def tables_of_names(source: str, names: set[str]) -> list[list[str]]:
    """The collections of strings in a module that are names of public functions, two or more."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Dict):
            parts = [*node.keys, *node.values]
        elif isinstance(node, (ast.Set, ast.List, ast.Tuple)):
            parts = node.elts
        else:
            continue
        words = {
            word
            for part in parts
            if isinstance(part, ast.Constant) and isinstance(part.value, str)
            for word in part.value.split()
        }
        if len(words & names) >= 2:
            found.append(sorted(words & names))
    return found


@pytest.mark.parametrize(
    "path", modules(*MACHINERY), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_machinery_has_no_table_of_the_names_of_public_functions(path):
    assert tables_of_names(path.read_text(encoding="utf-8"), public_names()) == []


def test_a_table_of_names_would_be_found():
    names = public_names()
    assert tables_of_names('X = {"reduce_sum", "expand_dims", "other"}', names)
    assert tables_of_names('X = {"reduce_sum": 1, "expand_dims": 2}', names)
    assert tables_of_names('X = ("reduce_sum expand_dims",)', names)
    assert not tables_of_names('X = ("reduce_sum",)', names)


def test_public_functions_are_the_same_objects_while_a_function_is_traced():
    seen = []

    @tf.function
    def f(x):
        seen.append([tf.reshape, tf.math.add, tf.Tensor.__mul__, tf.Variable.assign])
        return x * 2.0

    f(tf.constant(1.0))
    assert seen == [[tf.reshape, tf.math.add, tf.Tensor.__mul__, tf.Variable.assign]]


def test_the_suites_of_tf_function_run_with_frozen_modules_and_classes(monkeypatch):
    suites = (compile_suite, keras_suite, test_goldens)
    assert {suite.frozen_package for suite in suites} == {frozen.frozen_package}
    package = frozen.Package()
    package.freeze()
    try:
        with pytest.raises(TypeError, match="immutable type"):
            tf.Tensor.shape = None
        with pytest.raises(AttributeError, match="is replaced at run time"):
            tf.nn.relu = None
        with pytest.raises(AttributeError, match="is deleted at run time"):
            del tf.nn.relu
    finally:
        package.thaw()
    assert len(package.classes) > 200
    monkeypatch.setattr(tf.nn, "relu", None)
    assert tf.nn.relu is None
