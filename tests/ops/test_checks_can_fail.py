"""The generated checks notice what is wrong: one wrong op for each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tapelab.core.op import REGISTRY, op
from tapelab.core.op_declaration import Op
from tapelab.ops import samples
from tests.ops import awkward, checks


@pytest.fixture
def declare():
    """Declare ops as a module would, and forget them after the test."""
    before = set(REGISTRY)

    def declare(kernel: Callable, rule: Callable, formula="y = 3 x", **more) -> Op:
        declared = {"formula": formula, "samples": samples.anywhere, **more}
        declared_op = op(name="triple", **declared)(kernel)
        declared_op.grad("x", r"\bar x = 3 \bar y", local="3")(rule)
        return declared_op

    yield declare
    for name in set(REGISTRY) - before:
        del REGISTRY[name]


def triple(x):
    """Each entry three times."""
    return 3 * x


def triple_grad_x(dy, y, x):
    return 3 * dy


ALL_CHECKS = [
    checks.check_forward,
    checks.check_gradients,
    checks.check_second_order,
    checks.check_dtypes,
    checks.check_rules,
    checks.check_latex,
    checks.check_words,
    checks.check_facts,
]


@pytest.mark.parametrize("check", ALL_CHECKS, ids=lambda check: check.__name__)
def test_a_right_op_passes_every_check(declare, check):
    check(declare(triple, triple_grad_x, reference=lambda x: x + x + x))


def test_a_kernel_that_differs_from_its_reference_is_noticed(declare):
    wrong = declare(triple, triple_grad_x, reference=lambda x: 2 * x)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        checks.check_forward(wrong)


def test_a_zero_dimensional_array_is_noticed(declare):
    wrong = declare(lambda x: np.asarray(3 * x), triple_grad_x)
    with pytest.raises(AssertionError, match="NumPy scalar"):
        checks.check_forward(wrong)


def test_a_wrong_gradient_is_noticed(declare):
    wrong = declare(triple, lambda dy, y, x: 3.001 * dy)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        checks.check_gradients(wrong)


def test_a_gradient_that_forgets_the_upstream_is_noticed(declare):
    wrong = declare(triple, lambda dy, y, x: 0 * dy + 3)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        checks.check_gradients(wrong)


def test_a_gradient_that_is_none_without_a_reason_is_noticed(declare):
    wrong = declare(triple, lambda dy, y, x: None)
    with pytest.raises(AssertionError, match="gives None"):
        checks.check_gradients(wrong)


def test_a_gradient_that_cannot_be_differentiated_again_is_noticed(declare):
    def detached(dy, y, x):
        return dy * (2 * np.asarray(x))

    wrong = declare(lambda x: x * x, detached)
    checks.check_gradients(wrong)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        checks.check_second_order(wrong)


def test_a_result_in_float64_is_noticed(declare):
    wrong = declare(lambda x: x * np.float64(3), triple_grad_x)
    with pytest.raises(AssertionError):
        checks.check_dtypes(wrong)


def test_a_gradient_in_float64_is_noticed(declare):
    wrong = declare(triple, lambda dy, y, x: dy * np.float64(3))
    with pytest.raises(AssertionError):
        checks.check_dtypes(wrong)


def test_a_gradient_of_another_shape_is_noticed(declare):
    wrong = declare(triple, lambda dy, y, x: np.stack([dy, dy]))
    with pytest.raises(AssertionError):
        checks.check_dtypes(wrong)


def shapes_of(name, derive):
    return [tuple(map(np.shape, arrays)) for arrays, _ in awkward.variants(REGISTRY[name], derive)]


def test_awkward_shapes_are_made_of_ordinary_ones():
    assert ((0,), (0,)) in shapes_of("add", awkward.empty)
    assert ((), ()) in shapes_of("add", awkward.scalar)
    assert ((1, 3), (3,)) in shapes_of("add", awkward.stretched)
    assert ((2, 0), (0, 4)) in shapes_of("matmul", awkward.empty)
    axes = [settings["axis"] for _, settings in
            awkward.variants(REGISTRY["reduce_sum"], awkward.from_behind)]  # fmt: skip
    assert {(-2,), (-1,), (-2, -1), (-3, -1)} <= set(axes)


def test_a_gradient_that_is_wrong_at_an_empty_shape_only_is_noticed(declare):
    wrong = declare(triple, lambda dy, y, x: 3 * dy if np.size(x) else np.zeros(1))
    checks.check_gradients(wrong)
    with pytest.raises(AssertionError):
        checks.check_gradients(wrong, cases=awkward.variants(wrong, awkward.empty))


def test_a_gradient_that_is_wrong_in_single_precision_only_is_noticed(declare):
    def rule(dy, y, x):
        return 3 * dy if x.dtype == np.float64 else np.float32(3.1) * dy

    wrong = declare(triple, rule)
    checks.check_gradients(wrong)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        awkward.check_single_precision(wrong, checks.sampled(wrong))


def test_an_input_without_a_rule_is_noticed():
    silent = Op(name="silent", kernel=triple, inputs=("x",), settings=())
    with pytest.raises(AssertionError):
        checks.check_rules(silent)


def test_a_reason_that_is_no_sentence_is_noticed(declare):
    wrong = declare(lambda x, y: 3 * x, triple_grad_x)
    wrong.no_grad("y", because="no")
    with pytest.raises(AssertionError, match="is a sentence"):
        checks.check_rules(wrong)


@pytest.mark.parametrize("formula", ["y = 3 q", r"y = \operatorname{tri}(x) \oplus x", "y = 3 x t"])
def test_an_unknown_letter_or_sign_is_noticed(declare, formula):
    with pytest.raises(AssertionError, match="speaks of"):
        checks.check_latex(declare(triple, triple_grad_x, formula=formula))


def test_a_formula_that_does_not_parse_is_noticed(declare):
    with pytest.raises(ValueError, match="Expected"):
        checks.check_latex(declare(triple, triple_grad_x, formula=r"y = \frac{3 x"))


def test_an_op_without_a_sentence_is_noticed(declare):
    with pytest.raises(AssertionError):
        checks.check_words(declare(lambda x: 3 * x, triple_grad_x))


def test_an_op_that_has_a_gradient_after_all_is_noticed(declare):
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        checks.check_without_gradient(declare(triple, triple_grad_x))


def test_a_second_rule_for_one_input_is_refused(declare):
    once = declare(triple, triple_grad_x)
    with pytest.raises(ValueError, match="is declared already"):
        once.grad("x", r"\bar x = 3 \bar y")(triple_grad_x)


def test_a_rule_for_an_input_that_is_not_there_is_refused(declare):
    with pytest.raises(ValueError, match="triple has no input 'z', only x"):
        declare(triple, triple_grad_x).grad("z", "z")(triple_grad_x)


def test_a_second_op_of_one_name_is_refused(declare):
    declare(triple, triple_grad_x)
    with pytest.raises(ValueError, match="An op 'triple' is declared already"):
        declare(triple, triple_grad_x)
