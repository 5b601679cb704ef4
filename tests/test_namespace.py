"""The namespace: TensorFlow's names, and a hint for those that are not there."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import tapelab as tf
from tapelab.namespace.missing_names import PARTS

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("access", "message"),
    [
        (lambda: tf.reduce_summ, "The nearest is tf.reduce_sum."),
        (lambda: tf.log, "The nearest is tf.math.log."),
        (lambda: tf.relu, "The nearest is tf.nn.relu."),
        (lambda: tf.mean, "The nearest is tf.reduce_mean."),
        (lambda: tf.mul, "The nearest is tf.multiply."),
        (lambda: tf.math.sine, "The nearest is tf.sin."),
        (lambda: tf.math.matmul, "The nearest is tf.matmul."),
        (lambda: tf.random.norml, "The nearest is tf.random.normal."),
    ],
)
def test_a_missing_symbol_names_the_nearest_one(access, message):
    with pytest.raises(AttributeError) as caught:
        access()
    assert str(caught.value).endswith(message)


def test_a_missing_symbol_says_where_it_is_missing_and_that_it_is_not_the_learners_fault():
    with pytest.raises(AttributeError) as caught:
        tf.qwertyuiop  # noqa: B018  asking for it raises
    assert str(caught.value) == (
        "module 'tapelab' has no attribute 'qwertyuiop': tapelab has the part of TensorFlow that "
        "is taught with a tape, and this is not in it."
    )


def test_what_is_lazy_is_listed_and_arrives():
    for name in ("random", "image", "debugging", "bitwise", "show", "explain", "check"):
        assert name in dir(tf)
        assert getattr(tf, name) is getattr(tf, name)


def test_a_module_lists_what_it_offers_and_not_its_helpers():
    assert {"sin", "reduce_sum", "top_k", "angle"} <= set(dir(tf.math))
    assert {"matmul", "norm"} <= set(dir(tf.linalg))
    assert {"normal", "Generator"} <= set(dir(tf.random))
    for helper in ("unary", "matched", "tensor", "Any", "Tensor", "invalid_argument"):
        assert helper not in dir(tf.math)


ADDED = {
    *("Recording", "check", "check_gradients", "compare", "exercise", "explain", "hint", "hints"),
    *("language", "load_ipython_extension", "progress", "record", "score", "settings", "show"),
    *("what_if", "why"),
}
"""What tapelab adds to TensorFlow's names; docs/reference/tapelab.md describes it."""
MODULES = {
    *(
        "audio",
        "autograph",
        "compat",
        "config",
        "experimental",
        "initializers",
        "io",
        "losses",
        "metrics",
    ),
    *("distribute", "lookup", "losses", "metrics", "optimizers", "raw_ops", "summary", "train"),
}
"""Modules of TensorFlow 2.21 of which the list of symbols names no member."""


def test_the_namespace_offers_tensorflows_names_and_what_tapelab_adds_and_nothing_else():
    for name in ("array_ops", "core", "kernels", "ops", "recorder"):
        importlib.import_module(f"tapelab.{name}")
    listed = (ROOT / "docs/surface/tensorflow.txt").read_text(encoding="utf-8").split()
    theirs = {symbol.split(".")[1] for symbol in listed if symbol.startswith("tf.")}
    ours = {name for name in dir(tf) if not name.startswith("_")}
    assert ours - theirs - MODULES == ADDED


def test_importing_tapelab_does_not_import_what_is_lazy():
    program = "import sys, tapelab; print('tapelab.random' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("name", [*dir(tf.math), "reshape", "gather", "where", "cast", "zeros"])
def test_every_function_of_the_namespace_has_help(name):
    function = getattr(tf.math, name, None) or getattr(tf, name)
    if name.startswith("_") or not inspect.isfunction(function):
        return
    assert inspect.getdoc(function), name
    if function.__module__ != "tapelab.namespace.missing_names":
        parameters = inspect.signature(function).parameters
        assert not any(p.kind is p.VAR_POSITIONAL for p in parameters.values()), name


def test_help_shows_the_sentence_and_the_signature():
    assert str(inspect.signature(tf.sin)) == "(x, name=None)"
    assert tf.sin.__doc__.startswith("The sine of each entry, in radians.")
    assert str(inspect.signature(tf.multiply)) == "(x, y, name=None)"


def test_a_name_is_taken_and_means_nothing():
    assert float(tf.sin(0.0, name="s")) == 0.0
    assert float(tf.add(1.0, 2.0, name="sum")) == 3.0


@pytest.mark.parametrize("name", ["sin", "exp", "sqrt", "square", "negative", "abs", "tanh"])
def test_a_public_function_converts_what_it_is_given(name):
    function = getattr(tf, name)
    for given in (0.25, [0.25], tf.constant(0.25), tf.Variable(0.25)):
        y = function(given)
        assert isinstance(y, tf.Tensor)
        assert y.dtype == tf.float32


OF_ANOTHER_KIND = {"compat", "data", "keras", "ragged", "sets", "sparse", "strings"}
"""Rooms whose names TensorFlow uses again, for other tensors than dense ones or for layers."""


USED_AGAIN = {"experimental", "split", "trace", "transpose"}
"""Names that mean something else in another room of TensorFlow's, too: seeds are split, calls
traced, pictures transposed."""


def test_a_name_means_the_same_function_in_every_room():
    shared_rooms = [part for part in PARTS if part not in OF_ANOTHER_KIND]
    rooms = {part: getattr(tf, part) if part else tf for part in shared_rooms}
    names = {name for room in rooms.values() for name in dir(room) if not name.startswith("_")}
    shared = {
        name: meanings
        for name in names
        if len(meanings := {part: getattr(r, name) for part, r in rooms.items() if name in dir(r)})
        > 1
    }
    assert "sigmoid" in shared
    different = {n for n, f in shared.items() if len({id(each) for each in f.values()}) > 1}
    assert different - USED_AGAIN == set()
