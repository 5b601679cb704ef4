"""Every op that is declared, checked from its declaration alone."""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest

from tapelab import ops
from tapelab.core.op import REGISTRY
from tests.ops import awkward, checks

for _module in pkgutil.iter_modules(ops.__path__, "tapelab.ops."):
    importlib.import_module(_module.name)
for _name in ("control_flow", "debugging", "image", "queue", "random", "sparse", "strings"):
    importlib.import_module(f"tapelab.{_name}")

EVERY = sorted(name for name in REGISTRY)
DIFFERENTIABLE = [name for name in EVERY if REGISTRY[name].pattern == "differentiable"]
ONCE = {
    "gamma_sample": "RandomGammaGrad",
    "igamma": "IgammaGradA",
    "igammac": "IgammaGradA",
}
"""Ops that can be differentiated once only, and what stops the second time."""
NOT_AT_RANDOM = {"cholesky", "eig", "eigh", "slogdet", "svd"}
"""Ops that need a Hermitian matrix, or with a result fixed up to a complex factor of size 1."""
COMPLEX = [
    name
    for name in DIFFERENTIABLE
    if "c" in REGISTRY[name].kinds and name not in {"cast", "real", "imag"} | NOT_AT_RANDOM
]


def test_there_are_ops_enough_to_teach_with():
    assert len(EVERY) >= 150


def test_every_op_has_samples():
    assert [name for name in EVERY if REGISTRY[name].samples is None] == []


@pytest.mark.parametrize("name", EVERY)
def test_the_forward_pass_agrees_with_numpy(name):
    checks.check_forward(REGISTRY[name])


@pytest.mark.parametrize("name", [n for n in EVERY if REGISTRY[n].pattern != "not implemented"])
def test_every_gradient_agrees_with_central_differences(name):
    checks.check_gradients(REGISTRY[name])


@pytest.mark.parametrize("name", COMPLEX)
def test_every_complex_gradient_is_conjugated(name):
    checks.check_gradients(REGISTRY[name], np.complex128)


@pytest.mark.parametrize("name", sorted(set(DIFFERENTIABLE) - set(ONCE)))
def test_the_second_order_agrees_with_central_differences(name):
    checks.check_second_order(REGISTRY[name])


@pytest.mark.parametrize("name", sorted(ONCE))
def test_a_rule_without_a_gradient_of_its_own_stops_the_second_order(name):
    with pytest.raises(LookupError, match=ONCE[name]):
        checks.check_second_order(REGISTRY[name])


AWKWARD = {each.__name__: each for each in
           (awkward.empty, awkward.scalar, awkward.stretched, awkward.from_behind)}  # fmt: skip


@pytest.mark.parametrize("shapes", AWKWARD)
@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_first_and_second_gradients_are_right_at_awkward_shapes(name, shapes):
    op = REGISTRY[name]
    cases = awkward.variants(op, AWKWARD[shapes])
    checks.check_gradients(op, cases=cases)
    if name not in ONCE:
        checks.check_second_order(op, cases=cases)
        awkward.check_single_precision(op, cases)


@pytest.mark.parametrize("name", sorted(set(DIFFERENTIABLE) - set(ONCE)))
def test_first_and_second_gradients_are_right_in_single_precision(name):
    cases = [(arrays, settings) for arrays, settings in checks.sampled(REGISTRY[name])
             if "dtype" not in settings]  # fmt: skip
    awkward.check_single_precision(REGISTRY[name], cases)


@pytest.mark.parametrize("shapes", AWKWARD)
def test_every_awkward_shape_is_met(shapes):
    met = [name for name in DIFFERENTIABLE if awkward.variants(REGISTRY[name], AWKWARD[shapes])]
    assert len(met) > 20


@pytest.mark.parametrize("name", EVERY)
def test_float32_stays_float32_forward_and_back(name):
    checks.check_dtypes(REGISTRY[name])


@pytest.mark.parametrize("name", [n for n in EVERY if REGISTRY[n].pattern == "not implemented"])
def test_an_op_without_a_gradient_raises_lookup_error(name):
    checks.check_without_gradient(REGISTRY[name])


@pytest.mark.parametrize("name", EVERY)
def test_every_input_has_a_rule_or_a_reason(name):
    checks.check_rules(REGISTRY[name])


@pytest.mark.parametrize("name", EVERY)
def test_the_formulas_parse_and_use_the_letters_of_the_op(name):
    checks.check_latex(REGISTRY[name])


@pytest.mark.parametrize("name", EVERY)
def test_the_op_can_be_described_to_a_learner(name):
    checks.check_words(REGISTRY[name])


@pytest.mark.parametrize("name", EVERY)
def test_what_the_pictures_need_survives_json(name):
    checks.check_facts(REGISTRY[name])
