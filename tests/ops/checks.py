"""The checks that every op must pass, made from nothing but its declaration."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from itertools import chain
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import tapelab as tf
from tapelab.core.op_declaration import Op
from tapelab.core.tensor import constant_of
from tapelab.recording.facts import Rule
from tapelab.recording.op_facts import OpFacts

STEP = 1e-6
CLOSE: dict[str, float] = {"rtol": 2e-5, "atol": 2e-7}

SYMMETRICAL = {"cholesky"}
"""Ops of a symmetric matrix that give their gradient as a symmetric matrix, too."""

Arrays = tuple[Any, ...]
Cases = Iterable[tuple[Arrays, dict[str, Any]]]


def sampled(op: Op, dtype: Any = np.float64) -> Iterator[tuple[Arrays, dict[str, Any]]]:
    """The samples of an op, its floats in the given dtype."""
    rng = np.random.default_rng(crc32(op.name.encode()))
    for arrays, settings in op.samples(rng):
        yield tuple(typed(array, dtype) for array in arrays), settings


def typed(array: Any, dtype: Any) -> Any:
    value = np.asarray(array)
    if value.dtype.kind != "f":
        return value[()]
    turn = 1 + 0.3j if np.dtype(dtype).kind == "c" else 1
    return (value * turn).astype(dtype)[()]


def results_of(op: Op, arrays: Arrays, settings: dict[str, Any]) -> tuple[Any, ...]:
    """What the kernel gives for raw arrays, always as a tuple."""
    result = op.kernel(*arrays, **settings)
    return tuple(result) if op.multi else (result,)


def continuous(array: Any) -> bool:
    return array.dtype.kind in "fc"


def check_forward(op: Op) -> None:
    """The kernel agrees with an independent reference, and so does the recorded op."""
    for arrays, settings in sampled(op):
        got = results_of(op, arrays, settings)
        recorded = op(*map(constant_of, arrays), **settings)
        for one, other in zip(got, recorded if op.multi else (recorded,), strict=True):
            scalar = type(one) is not np.ndarray or one.ndim > 0 or one.dtype == object
            assert scalar, "() must be a NumPy scalar"
            np.testing.assert_array_equal(np.asarray(other), one)
        if op.reference is not None:
            expected = op.reference(*arrays, **settings)
            for one, other in zip(got, expected if op.multi else (expected,), strict=True):
                np.testing.assert_allclose(one, other, **CLOSE)
                assert np.shape(one) == np.shape(other)


def seeds_for(results: tuple[Any, ...], salt: int) -> list[Any]:
    rng = np.random.default_rng(salt)
    return [rng.normal(size=np.shape(each)) for each in results if continuous(each)]


def gradients(op: Op, arrays: Arrays, settings: dict[str, Any], seeds: list[Any]) -> list[Any]:
    """What a tape answers for each input that could have a gradient."""
    inputs = [constant_of(array) for array in arrays]
    sources = [x for x in inputs if continuous(x._value)]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        targets = _targets(op, inputs, settings)
    return tape.gradient(targets, sources, output_gradients=_seeded(targets, seeds))


def _targets(op: Op, inputs: list[Any], settings: dict[str, Any]) -> list[Any]:
    results = op(*inputs, **settings)
    return [each for each in (results if op.multi else (results,)) if continuous(each._value)]


def _seeded(targets: list[Any], seeds: list[Any]) -> list[Any]:
    return [constant_of(np.asarray(s).astype(t._value.dtype)[()])
            for s, t in zip(seeds, targets, strict=True)]  # fmt: skip


def numeric(function: Callable[[Arrays], float], arrays: Arrays, at: int) -> Any:
    """The gradient of a scalar function of arrays by central differences at one of them."""
    base = np.asarray(arrays[at])
    gradient = np.zeros(base.shape, base.dtype)
    directions = (1, 1j) if base.dtype.kind == "c" else (1,)
    for index in np.ndindex(base.shape):
        for direction in directions:
            moved = (_nudged(base, index, by * direction) for by in (STEP, -STEP))
            above, below = (function((*arrays[:at], x, *arrays[at + 1 :])) for x in moved)
            gradient[index] += direction * (above - below) / (2 * STEP)
    return gradient


def _nudged(base: Any, index: tuple[int, ...], by: complex) -> Any:
    moved = base.copy()
    moved[index] += by
    return moved[()]


def check_gradients(op: Op, dtype: Any = np.float64, cases: Cases | None = None) -> None:
    """Every gradient rule agrees with central differences; inputs without one get None."""
    for arrays, settings in sampled(op, dtype) if cases is None else cases:
        seeds = seeds_for(results_of(op, arrays, settings), 1)

        def loss(
            inputs: Arrays, settings: dict[str, Any] = settings, seeds: list[Any] = seeds
        ) -> float:
            results = [each for each in results_of(op, inputs, settings) if continuous(each)]
            return float(sum(np.sum(s * each).real for s, each in zip(seeds, results, strict=True)))

        places = [at for at, array in enumerate(arrays) if continuous(array)]
        for at, got in zip(places, gradients(op, arrays, settings, seeds), strict=True):
            if op.rule(at).function is None:
                assert got is None, f"{op.name} declares no gradient to input {at}"
                continue
            assert got is not None, f"{op.name} declares a gradient to input {at}, and gives None"
            expected = _symmetrical(op, numeric(loss, arrays, at))
            np.testing.assert_allclose(dense(got), expected, **CLOSE)


def _symmetrical(op: Op, gradient: Any) -> Any:
    """A gradient shared by both triangles, for ops that read one of them and mean both."""
    if op.name not in SYMMETRICAL:
        return gradient
    return (gradient + np.conj(np.swapaxes(gradient, -1, -2))) / 2


def dense(gradient: Any) -> Any:
    return np.asarray(gradient.dense() if isinstance(gradient, tf.IndexedSlices) else gradient)


def check_second_order(op: Op, cases: Cases | None = None) -> None:
    """The backward pass of the backward pass agrees with central differences of the gradients."""
    for arrays, settings in sampled(op) if cases is None else cases:
        seeds = seeds_for(results_of(op, arrays, settings), 1)
        places = [at for at, array in enumerate(arrays) if continuous(array)]
        weights = [np.random.default_rng(at).normal(size=np.shape(arrays[at])) for at in places]

        def weighted(
            inputs: Arrays, settings: dict[str, Any] = settings, seeds: list[Any] = seeds,
            weights: list[Any] = weights,
        ) -> float:  # fmt: skip
            result = gradients(op, inputs, settings, seeds)
            pairs = zip(weights, result, strict=True)
            return float(sum(np.sum(w * dense(g)) for w, g in pairs if g is not None))

        for at, got in zip(places, second(op, arrays, settings, seeds, weights), strict=True):
            if op.rule(at).function is None:
                continue
            expected = _symmetrical(op, numeric(weighted, arrays, at))
            result = np.zeros_like(expected) if got is None else dense(got)
            assert np.shape(result) == np.shape(expected)
            np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-6)


def second(
    op: Op, arrays: Arrays, settings: dict[str, Any], seeds: list[Any], weights: list[Any]
) -> list[Any]:
    inputs = [constant_of(array) for array in arrays]
    sources = [x for x in inputs if continuous(x._value)]
    with tf.GradientTape() as outer:
        outer.watch(sources)
        with tf.GradientTape() as inner:
            inner.watch(sources)
            targets = _targets(op, inputs, settings)
        first = inner.gradient(targets, sources, output_gradients=_seeded(targets, seeds))
        parts = [
            tf.reduce_sum(tf.convert_to_tensor(g) * w)
            for g, w in zip(first, weights, strict=True)
            if g is not None
        ]
        if not parts:
            return [None] * len(sources)
        total = tf.add_n(parts)
    return outer.gradient(total, sources)


def check_dtypes(op: Op) -> None:
    """Results and gradients of float32 stay float32; gradients have the shape of their input."""
    for arrays, settings in sampled(op, np.float32):
        results = results_of(op, arrays, settings)
        seeds = seeds_for(results, 1)
        if "dtype" not in settings:
            assert {r.dtype for r in results if continuous(r)} <= {np.dtype("f4"), np.dtype("c8")}
        sources = [array for array in arrays if continuous(array)]
        if not seeds or not sources or op.pattern == "not implemented":
            continue
        for source, got in zip(sources, gradients(op, arrays, settings, seeds), strict=True):
            if got is not None:
                assert dense(got).dtype == np.float32
                assert dense(got).shape == np.shape(source)


def check_without_gradient(op: Op) -> None:
    """An op that has no gradient at all says so when it is asked, and not before."""
    for arrays, settings in sampled(op):
        seeds = seeds_for(results_of(op, arrays, settings), 1)
        if seeds and any(map(continuous, arrays)):
            with pytest.raises(LookupError, match=f"gradient registry has no entry for: {op.raw}"):
                gradients(op, arrays, settings, seeds)


def check_rules(op: Op) -> None:
    """Every input has a rule or a reason, unless the op has no gradient at all."""
    if op.pattern == "not implemented":
        assert not op.rules
        return
    assert set(op.rules) == set(op.inputs)
    for name, rule in op.rules.items():
        facts = rule.facts
        if rule.function is None:
            assert facts.because.endswith("."), f"{op.name}: the reason for {name} is a sentence"
            assert not facts.formula
        else:
            assert facts.formula, f"{op.name}: the rule of {name} needs its formula"
            assert not facts.because
    if op.pattern == "differentiable":
        assert any(rule.function for rule in op.rules.values())


CONSTANTS = {"e", "i", "j", "k", "n", "m", "s", "I", "T"}
GREEK = {"alpha", "pi", "sigma", "Phi", "lambda"}
SIGNS = {
    *("cdot", "odot", "top", "sum", "prod", "partial", "le", "ge", "ne", "infty", "in", "ldots"),
    *("lfloor", "rfloor", "lceil", "rceil", "times", "leq", "geq", "neq"),
}
FUNCTIONS = {
    *("sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "exp", "log"),
    *("ln", "max", "min", "det", "tr"),
}
STRUCTURE = {"frac", "sqrt", "bar", "operatorname", "text", "left", "right"}


def formulas(op: Op) -> Iterator[str]:
    rules = (rule.facts for rule in op.rules.values())
    latex = chain([op.formula], *((facts.formula, facts.local) for facts in rules))
    return (each for each in latex if each)


def check_latex(op: Op) -> None:
    """Each formula parses, and speaks of the op's own letters and of known functions only."""
    from matplotlib.mathtext import MathTextParser

    parser = MathTextParser("path")
    for latex in formulas(op):
        parser.parse(f"${latex}$")
        unknown = strangers(op, latex)
        assert not unknown, f"{op.name}: {latex!r} speaks of {sorted(unknown)}"


def strangers(op: Op, latex: str) -> set[str]:
    """The letters and commands of a formula that no table explains."""
    plain = re.sub(r"\\(text|operatorname)\{[^}]*\}", " ", latex)
    commands = set(re.findall(r"\\([A-Za-z]+)", plain))
    letters = set(re.findall(r"[^\W\d_]", re.sub(r"\\[A-Za-z]+", " ", plain)))
    own = {*op.inputs, *re.findall(r"\w+", op.output), *op.settings}
    return (commands - SIGNS - FUNCTIONS - STRUCTURE - GREEK) | (letters - own - CONSTANTS)


def check_words(op: Op) -> None:
    """The op can be described to a learner: a sentence, a title, a short sign, a formula."""
    assert op.sentence.endswith("."), "the docstring begins with a sentence"
    assert op.title[:1].isupper()
    assert 0 < len(op.glyph) <= 16
    assert op.formula.partition("=")[0].strip().startswith(op.output)


def check_facts(op: Op) -> None:
    """What the pictures need survives JSON."""
    facts = op.facts()
    read = json.loads(json.dumps(asdict(facts)))
    read |= {"inputs": tuple(read["inputs"]), "rules": tuple(Rule(**r) for r in read["rules"])}
    assert OpFacts(**read) == facts
