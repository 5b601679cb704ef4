"""The sentences about numbers, word by word: what happened, where, and with which values."""

import pytest

from tests.pitfalls.catalogue import PITFALLS
from tests.pitfalls.snippets import explanation_of

SENTENCES = {
    "P50 then times 0": (
        "The derivative of `tf.sqrt(h)` is not finite",
        (
            "`tf.sqrt(h)` in line 4 received 0, where its derivative is infinite. So 1 of 2 "
            "numbers in the gradient for `x` is NaN."
        ),
    ),
    "P51 division": (
        "NaN comes out of a branch that was not chosen",
        (
            "`tf.where(x > 0, 1.0 / x, 0.0)` in line 3 did not choose `1.0 / x` where its input is "
            "0, but the gradient flows through both branches. The branch gets the gradient 0. Its "
            "derivative there is not finite, and 0 · ∞ is NaN. So 1 of 2 numbers in the gradient "
            "for `x` is NaN."
        ),
    ),
    "P52": (
        "The derivative of `tf.math.log(x)` is not finite",
        (
            "`tf.math.log(x)` in line 4 received 0 and returned −∞. There it has no finite value "
            "and no finite derivative. So 1 of 2 numbers in the gradient for `x` is NaN."
        ),
    ),
    "P53": (
        "`tf.exp(x)` is too large for its dtype",
        (
            "`tf.exp(x)` in line 3 received 1000. Its result does not fit into float32 and became "
            "∞. So 2 of 2 numbers in the gradient for `x` are NaN."
        ),
    ),
    "P56": (
        "The vectors of `tf.linalg.eigh(x)` are not determined",
        (
            "Two eigenvalues of `x` in line 3 are 1, with a gap of 0. The gradient of their "
            "vectors contains 1 / gap, so the gradient for `x` has no meaning."
        ),
    ),
    "P57": (
        "The derivative of `tf.clip_by_value(x, 0.0, 1.0)` is 0 at its input",
        (
            "`tf.clip_by_value(x, 0.0, 1.0)` in line 3 received 5 and returned 1. 100 % of its "
            "elements are at the limit, where the derivative is 0. So the gradient for `x` is 0."
        ),
    ),
    "P58 far below 0": (
        "All units of `tf.nn.relu(data @ x - 100.0)` are off",
        (
            "`tf.nn.relu(data @ x - 100.0)` in line 4 received −95. None of its 2 elements is "
            "above 0, so 100 % of the units are off: their outputs and their derivatives are 0. So "
            "the gradient for `x` is 0."
        ),
    ),
    "P59 maximum": (
        "The input of `tf.maximum(x[0], x[1])` is exactly at its kink",
        (
            "`tf.maximum(x[0], x[1])` in line 2 compares `x[0]` and `x[1]`, which are equal: 2. "
            "Both are the maximum. The first one gets the whole gradient. This convention decides "
            "the gradient for `x`."
        ),
    ),
    "P60": (
        "The gradient vanishes on the path to `x`",
        (
            "The gradient is 1 at `y`, and for `x` the largest number in it is 1.059e−13. 20 ops "
            "such as `tf.sigmoid(y)` in line 5 multiplied it by 0.22 each, in all by 1.1e−13."
        ),
    ),
    "P61": (
        "The gradient explodes on the path to `x`",
        (
            "The gradient is 1 at `h`, and for `x` the largest number in it is ∞. 80 ops such as "
            "`h @ x` in line 5 multiplied it by 3 each, in all by 1.5e38."
        ),
    ),
    "P62": (
        "The gradient is too small for float16 at `tf.cast(h * h, tf.float32)`",
        (
            "In the backward pass, 1e−9 arrived at `tf.cast(h * h, tf.float32)` in line 4. The "
            "smallest float16 number is 6e−8, so it became 0. So the gradient for `x` is 0."
        ),
    ),
    "P63": (
        "`x * data - labels` pairs every number with every other",
        (
            "`x * data - labels` in line 5 got the shapes 4×1 and (4,) and broadcast both to 4×4. "
            "That makes 16 pairs where 4 belong together, so 12 unrelated pairs are in the "
            "gradient."
        ),
    ),
    "P64": (
        "`tf.nn.softmax(data @ x, axis=0)` sums to 1 over the batch",
        (
            "`tf.nn.softmax(data @ x, axis=0)` in line 5 normalises along axis 0, over 3 examples. "
            "The rows sum to 0.04157 to 1.776. The labels sum to 1 in each row, along axis 1."
        ),
    ),
    "P66": (
        "softmax is applied twice",
        (
            "`tf.nn.softmax(x)` in line 4 returns probabilities, 0.1824 to 0.8176. "
            "`tf.nn.softmax_cross_entropy_wit…` expects logits and applies softmax again. Logits "
            "between 0 and 1 are almost equal, so the gradient for `x` is far too small."
        ),
    ),
    "P80": (
        "The input is exactly the special case of `x == 0`",
        (
            "`x == 0` in line 3 is true for 0, so the special case was used, which is a constant. "
            "So the gradient for `x` is that of a constant, although the function may be smooth."
        ),
    ),
    "P81": (
        "`z - 0.1 * (z * z - a)` has not converged",
        (
            "`z - 0.1 * (z * z - a)` in line 4 ran 3 times. The last update changed the value by "
            "0.061, to 1.24, and the residual is 0.61. So the gradient for `x` is that of 3 "
            "updates, not that of the solution."
        ),
    ),
    "P82": (
        "`x` decides how often the loop runs",
        (
            "`y < 2.0` in line 4 ended the loop after 6 iterations, and that number depends on "
            "`x`. The gradient holds for 6 iterations. It ignores that another `x` could change "
            "their number."
        ),
    ),
}


def first_finding(number):
    (pitfall,) = (each for each in PITFALLS if each.number == number)
    return explanation_of(pitfall.snippet, pitfall.ask).findings[0]


@pytest.mark.parametrize("number", SENTENCES)
def test_what_a_learner_reads(number):
    finding = first_finding(number)
    assert (finding.title, finding.message) == SENTENCES[number]


def steps(number):
    return [(step.line, step.text) for step in first_finding(number).steps]


def test_the_steps_name_the_op_that_masked_the_infinity():
    assert steps("P51 the other branch, an op later") == [
        (4, "`tf.math.log(x)` made it"),
        (6, "`tf.where(safe, k, 0.0)` masked it in the value"),
    ]


def test_the_steps_name_the_ops_that_propagated_it():
    assert steps("P53 softmax") == [
        (3, "`tf.exp(x)` made it"),
        (4, "`e / tf.reduce_sum(e)` propagated it"),
        (4, "`tf.reduce_sum(e)` propagated it"),
    ]


def test_the_steps_show_both_ends_of_a_chain():
    assert steps("P61 finite") == [
        (5, "the largest gradient here is 1"),
        (5, "the largest gradient here is 2.451e10"),
    ]
