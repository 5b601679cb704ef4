"""The sentences of some causes, word by word: what happened, and why."""

import pytest

from tapelab.diagnosis.families import declarations
from tests.docs.readability import GRADE, WORDS_OF_A_SENTENCE, readability, sentences
from tests.pitfalls.catalogue import PITFALLS
from tests.pitfalls.snippets import explained, explanation_of

SENTENCES = {
    "P01": (
        "`x` is a tensor now, no longer the variable",
        (
            "`x = x - 0.5` did not change the variable. It made a new tensor and gave it the name "
            "`x`. A tape does not watch tensors by itself."
        ),
        "x = x - 0.5",
        "x.assign_sub(0.5)",
    ),
    "P01 stretched": (
        "`x` is a tensor now, no longer the variable",
        (
            "`x = x + 1.0` did not change the variable. It made a new tensor and gave it the name "
            "`x`. A tape does not watch tensors by itself."
        ),
        "x = x + 1.0",
        "x.assign(x + 1.0)",
    ),
    "P02": (
        "`tf.exp(x) * w` ran before the tape",
        (
            "`y` was computed before `tape` began to record in line 4. So no path leads from `y` "
            "to `x`."
        ),
        "y = tf.exp(x) * w\nwith tf.GradientTape() as tape:",
        "with tf.GradientTape() as tape:\n    y = tf.exp(x) * w",
    ),
    "P03": (
        "`x` is not watched",
        (
            "`x` is a plain tensor. A tape records what is done with a tensor only after "
            "`tape.watch(x)`. 1 op used it unwatched."
        ),
        "with tf.GradientTape() as tape:",
        "with tf.GradientTape() as tape:\n    tape.watch(x)",
    ),
    "P03 in a function": (
        "`x` is not watched",
        (
            "`x` is a plain tensor. A tape records what is done with a tensor only after "
            "`recorder.watch(v)`. 1 op used it unwatched."
        ),
        "with tf.GradientTape() as recorder:",
        "with tf.GradientTape() as recorder:\n    recorder.watch(v)",
    ),
    "P05": (
        "`rate` is not trainable",
        (
            "A tape watches trainable variables by itself. `rate` was made with `trainable=False`, "
            "and `tape.watch(x)` was not called."
        ),
        'x = tf.Variable(4.0, trainable=False, name="rate")',
        'x = tf.Variable(4.0, name="rate")',
    ),
    "P14": (
        "The path ends at `np.mean(h)`",
        (
            "`np.mean` took the value of `h` off the tape. It came back as a plain number, 4.6667. "
            "So no path leads from `y` to `x`."
        ),
        "m = np.mean(h)",
        "m = tf.reduce_mean(h)",
    ),
    "P14 axis": (
        "The path ends at `np.max(h, axis=0)`",
        (
            "`np.max` took the value of `h` off the tape. It came back as plain numbers, [9. 16.]. "
            "So no path leads from `y` to `x`."
        ),
        "m = np.max(h, axis=0)  # the largest of each column",
        "m = tf.reduce_max(h, axis=0)  # the largest of each column",
    ),
    "P15": (
        "The path ends at `(x + 1.0).numpy()`",
        (
            "`.numpy()` took the value of `x + 1.0` off the tape. It came back as a plain number, "
            "1.5000. So no path leads from `y` to `x`."
        ),
        "with tf.GradientTape() as tape: y = tf.exp(tf.constant((x + 1.0).numpy()) * 2.0)",
        "with tf.GradientTape() as tape: y = tf.exp((x + 1.0) * 2.0)",
    ),
    "P16": (
        "The path ends at `math.sin(h)`",
        (
            "`math.sin` took the value of `h` off the tape. It came back as a plain number, "
            "0.8415. So no path leads from `y` to `x`."
        ),
        "y = tf.constant(math.sin(h)) * 3.0",
        "y = tf.sin(h) * 3.0",
    ),
    "P20": (
        "The path ends at `kept.assign(x * 2.0)`",
        (
            "An assignment stores a value without its history. After it, `kept` is read as 6.0000. "
            "So no path leads from `y` to `x`."
        ),
        "kept.assign(x * 2.0)\ny = kept ** 2",
        "kept_new = x * 2.0\ny = kept_new ** 2",
    ),
    "P21": (
        "The path ends at `buffer[1].assign(x * x)`",
        (
            "An assignment stores a value without its history. After it, `buffer` is read as [0. "
            "4. 1.]. So no path leads from `y` to `x`."
        ),
        "buffer[1].assign(x * x)\ny = tf.reduce_sum(buffer ** 2)",
        (
            "buffer_new = tf.tensor_scatter_nd_update(buffer, [[1]], [x * x])\n"
            "y = tf.reduce_sum(buffer_new ** 2)"
        ),
    ),
    "P24": (
        "The path ends at `tf.stop_gradient(x * x)`",
        (
            "`stop_gradient` returns the value of `x * x` and stops its gradient. So no path leads "
            "from `y` to `x`."
        ),
        "y = tf.stop_gradient(x * x) * 2.0",
        "y = (x * x) * 2.0",
    ),
    "P26": (
        "`x` is int32",
        (
            "`tf.Variable(10)` in line 1 created it as integers. A derivative describes a small "
            "change, and integers cannot change by a small amount."
        ),
        "x = tf.Variable(10)",
        "x = tf.Variable(10.0)",
    ),
    "P27": (
        "The path ends at `tf.cast(x, tf.int32)`",
        (
            "The cast to int32 turned `x` from 2.7000 into 2. Integers cannot change by a small "
            "amount. So no path leads from `y` to `x`."
        ),
        "y = 3.0 * tf.cast(tf.cast(x, tf.int32), tf.float32)",
        "y = 3.0 * (x + tf.stop_gradient(tf.cast(tf.cast(x, tf.int32), tf.float32) - x))",
    ),
    "P74": (
        "This is the conjugate of the derivative",
        (
            "`x` and `y` are complex. For those the tape gives the conjugate of the derivative, "
            "here 6.0000−2.0000j. The derivative itself is 6.0000+2.0000j."
        ),
        "g = tape.gradient(y, x)",
        "g = tf.math.conj(tape.gradient(y, x))",
    ),
    "P74 a real target": (
        "This is the conjugate of the derivative",
        (
            "`x` is complex, z = a + i·b, and `y` is real. For those the tape gives ∂/∂a + i·∂/∂b "
            "= 2·∂/∂z*, here 6.0000+2.0000j: the direction in which `y` grows, which gradient "
            "descent needs. The derivative is its conjugate, ∂/∂a − i·∂/∂b = 2·∂/∂z, here "
            "6.0000−2.0000j: a small step dz changes `y` by Re(derivative·dz)."
        ),
        "g = tape.gradient(y, x)",
        "g = tf.math.conj(tape.gradient(y, x))",
    ),
    "P78 a line": (
        "`h + 1.0` ran after the tape",
        "`y` was computed after `tape` stopped recording. So no path leads from `y` to `x`.",
        "    h = x * x\ny = h + 1.0",
        "    h = x * x\n    y = h + 1.0",
    ),
}


@pytest.mark.parametrize("number", SENTENCES)
def test_what_a_learner_reads(number):
    (pitfall,) = (each for each in PITFALLS if each.number == number)
    (finding,) = explained(pitfall.snippet).findings
    said = (finding.title, finding.message, finding.fix.before, finding.fix.after)
    assert said == SENTENCES[number]


def test_the_steps_list_the_detour_in_order():
    (pitfall,) = (each for each in PITFALLS if each.number == "P14")
    (finding,) = explained(pitfall.snippet).findings
    assert [(step.line, step.text) for step in finding.steps] == [
        (3, "`h` was recorded"),
        (4, "`h` left the tape through `np.mean`"),
        (5, "4.6667 came back as a constant"),
    ]


@pytest.fixture(scope="module")
def findings():
    """All findings of the catalogue."""
    explanations = [explanation_of(pitfall.snippet, pitfall.ask) for pitfall in PITFALLS]
    return [finding for explanation in explanations for finding in explanation.findings]


def test_no_sentence_blames_or_shouts(findings):
    for finding in findings:
        words = f"{finding.title} {finding.message}".lower()
        assert not any(word in words for word in ("!", "you ", "your", "wrong", "mistake"))
        assert not any(word in words for word in ("adjoint", "disconnected", "backprop"))


@pytest.mark.parametrize("code", [each.code for each in declarations()])
def test_a_finding_is_read_with_nine_years_of_school(code, findings):
    messages = [finding.message for finding in findings if finding.code == code]
    assert readability("\n\n".join(messages)).grade <= GRADE
    for message in messages:
        assert max(len(part.split()) for part in sentences(message)) <= WORDS_OF_A_SENTENCE
