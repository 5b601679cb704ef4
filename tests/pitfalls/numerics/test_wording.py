"""The sentences about numbers, word by word: what happened, where, and with which values."""

import pytest

from tests.pitfalls.catalogue import PITFALLS
from tests.pitfalls.snippets import asked

SENTENCES = {
    "P50 then times 0": (
        "The slope of `tf.sqrt(h)` is not finite",
        (
            "`tf.sqrt(h)` in line 4 received 0, where its slope is infinite. So 1 of 2 numbers "
            "in the gradient for `x` is NaN."
        ),
    ),
    "P51 division": (
        "NaN comes out of a branch that was not chosen",
        (
            "`tf.where(x > 0, 1.0 / x, 0.0)` in line 3 did not choose `1.0 / x` where it "
            "received 0, but the gradient goes through both branches. The branch gets the "
            "gradient 0, its slope there is not finite, and 0 · ∞ is NaN. So 1 of 2 numbers in "
            "the gradient for `x` is NaN."
        ),
    ),
    "P52": (
        "The slope of `tf.math.log(x)` is not finite",
        (
            "`tf.math.log(x)` in line 4 received 0 and made −∞: there it has no finite value "
            "and no finite slope. So 1 of 2 numbers in the gradient for `x` is NaN."
        ),
    ),
    "P53": (
        "`tf.exp(x)` is too large for its dtype",
        (
            "`tf.exp(x)` in line 3 received 1000, and its result does not fit into float32: it "
            "became ∞. So 2 of 2 numbers in the gradient for `x` are NaN."
        ),
    ),
    "P56": (
        "The vectors of `tf.linalg.eigh(x)` are not determined",
        (
            "Two eigenvalues of `x` in line 3 are 1, with a gap of 0. The gradient of their "
            "vectors has 1 / gap in it, so the gradient for `x` has no meaning."
        ),
    ),
    "P57": (
        "`tf.clip_by_value(x, 0.0, 1.0)` is flat where it is used",
        (
            "`tf.clip_by_value(x, 0.0, 1.0)` in line 3 received 5 and made 1: for 100 % of its "
            "elements it is at its limit, where its slope is 0. So the gradient for `x` is 0."
        ),
    ),
    "P58 far below 0": (
        "All units of `tf.nn.relu(data @ x - 100.0)` are off",
        (
            "`tf.nn.relu(data @ x - 100.0)` in line 4 received −95. None of its 2 elements is "
            "above 0, so 100 % of the units are off: they make 0, and their slope is 0. So the "
            "gradient for `x` is 0."
        ),
    ),
    "P59 maximum": (
        "`tf.maximum(x[0], x[1])` is used exactly at its kink",
        (
            "`tf.maximum(x[0], x[1])` in line 2 compares `x[0]` and `x[1]`, which are equal: 2."
            " Both are the largest; the first one gets the whole gradient. That decides the "
            "gradient for `x`."
        ),
    ),
    "P60": (
        "The gradient fades away on its way to `x`",
        (
            "The gradient is 1 at `y`, and for `x` the largest number in it is 1.059e−13. 20 "
            "ops such as `tf.sigmoid(y)` in line 5 multiplied it by 0.22 each, in all by "
            "1.1e−13."
        ),
    ),
    "P61": (
        "The gradient blows up on its way to `x`",
        (
            "The gradient is 1 at `h`, and for `x` the largest number in it is ∞. 80 ops such "
            "as `h @ x` in line 5 multiplied it by 3 each, in all by 1.5e38."
        ),
    ),
    "P62": (
        "The gradient is too small for float16 at `tf.cast(h * h, tf.float32)`",
        (
            "On the way back, 1e−9 arrived at `tf.cast(h * h, tf.float32)` in line 4. float16 "
            "keeps nothing closer to 0 than 6e−8, so it became 0. So the gradient for `x` is 0."
        ),
    ),
    "P63": (
        "`x * data - labels` pairs every number with every other",
        (
            "`x * data - labels` in line 5 got the shapes 4×1 and [4] and stretched both to "
            "4×4. That is 16 pairs where 4 belong together, so 12 pairs are in the gradient "
            "that have nothing to do with each other."
        ),
    ),
    "P64": (
        "`tf.nn.softmax(data @ x, axis=0)` adds up to 1 over the batch",
        (
            "`tf.nn.softmax(data @ x, axis=0)` in line 5 shares 1 out along axis 0, over 3 "
            "examples; the rows add up to 0.04157 to 1.776. The labels add up to 1 in each row,"
            " along axis 1."
        ),
    ),
    "P66": (
        "softmax is applied twice",
        (
            "`tf.nn.softmax(x)` in line 4 made probabilities, 0.1824 to 0.8176, and "
            "`tf.nn.softmax_cross_entropy_wit…` takes them for scores and applies softmax "
            "again. Scores between 0 and 1 are all nearly alike, so the gradient for `x` is far"
            " too small."
        ),
    ),
    "P80": (
        "`x == 0` singles out the very point that is used",
        (
            "`x == 0` in line 3 is true for 0, so the value comes from the special case, which "
            "is a constant. The gradient for `x` is then that of a constant, even where the "
            "function is smooth."
        ),
    ),
    "P81": (
        "`z - 0.1 * (z * z - a)` has not converged",
        (
            "`z - 0.1 * (z * z - a)` in line 4 ran 3 times; the last update still moved the "
            "value by 0.061, to 1.24, and the residual is 0.61. So the gradient for `x` is that"
            " of 3 updates, and not that of the solution they are on the way to."
        ),
    ),
    "P82": (
        "`x` decides how often the loop runs",
        (
            "`y < 2.0` in line 4 let the loop run 6 times, and that number comes from `x`. The "
            "gradient holds for 6 runs; that a larger `x` would change the number is not in it."
        ),
    ),
}


def first_finding(number):
    (pitfall,) = (each for each in PITFALLS if each.number == number)
    return asked(pitfall.snippet, pitfall.ask).findings[0]


@pytest.mark.parametrize("number", SENTENCES)
def test_what_a_learner_reads(number):
    finding = first_finding(number)
    assert (finding.title, finding.message) == SENTENCES[number]


def steps(number):
    return [(step.line, step.text) for step in first_finding(number).steps]


def test_the_ledger_tells_what_hid_the_infinity_from_the_value():
    assert steps("P51 the other branch, an op later") == [
        (4, "`tf.math.log(x)` made it"),
        (6, "`tf.where(safe, k, 0.0)` kept it out of the value"),
    ]


def test_the_ledger_tells_what_handed_it_on():
    assert steps("P53 softmax") == [
        (3, "`tf.exp(x)` made it"),
        (4, "`e / tf.reduce_sum(e)` handed it on"),
        (4, "`tf.reduce_sum(e)` handed it on"),
    ]


def test_the_ends_of_a_chain_are_told():
    assert steps("P61 finite") == [
        (5, "the largest gradient here is 1"),
        (5, "the largest gradient here is 2.451e10"),
    ]
