"""The fuzzer itself, without TensorFlow: what it writes, what it notices, what it makes of it."""

from __future__ import annotations

import ast
import re
from functools import cache
from types import SimpleNamespace

import pytest
from conformance.fuzzing import surface
from conformance.fuzzing.captures import CAPTURES
from conformance.fuzzing.contexts import CONTEXTS
from conformance.fuzzing.explained import OF_CONTEXTS, TABLE, rounding_explains
from conformance.fuzzing.observing import difference, run
from conformance.fuzzing.programs import KINDS, captured_program, participants, program
from conformance.fuzzing.shrinking import shrink

import tapelab
from tapelab.core.op import REGISTRY


@cache
def texts():
    return [program(7, number) for number in range(400)]


@cache
def pairs():
    """Programs whose ops are called through captures, each with the same program without them."""
    return [captured_program(7, number) for number in range(400)]


class Namespace(SimpleNamespace):
    """A namespace like tapelab's, but for what is put in its place."""

    def __getattr__(self, name):
        return getattr(tapelab, name)


def with_a_wrong_sine():
    return Namespace(__name__="wrong", sin=lambda x: tapelab.sin(x) * 1.001)


def test_a_seed_gives_the_same_programs_again():
    assert [program(7, number) for number in range(50)] == texts()[:50]


def test_another_seed_gives_other_programs():
    assert program(8, 3) != texts()[3]


def test_every_program_can_be_pasted():
    for text in texts():
        ast.parse(text)


def test_a_program_gives_the_same_values_when_it_is_run_again():
    for text in texts()[:150]:
        assert difference(run(tapelab, text), run(tapelab, text)) is None


def test_most_programs_run_to_their_end():
    assert sum(not run(tapelab, text).raised for text in texts()) > len(texts()) * 0.5


def test_every_declared_op_with_a_public_name_takes_part():
    taking_part = {id(surface.functions()[name]) for name in participants()}
    missing = [
        name
        for name, function in surface.functions().items()
        if name.rpartition(".")[2] in REGISTRY and id(function) not in taking_part
    ]
    assert missing == []


def test_each_participant_has_its_turn_in_a_round():
    count = len(participants())
    called = " ".join(program(7, number) for number in range(count))
    missing = [name for name in participants() if f"tf.{name}(" not in called]
    assert len(missing) < count * 0.2  # the programs of operators call no function


@pytest.mark.parametrize(
    "part",
    [
        *(
            "tf.Variable(",
            "np.array(",
            "persistent=True",
            "stop_recording()",
            ".reset()",
            ".watch(",
        ),
        *(".assign", "output_gradients=", "unconnected_gradients=", ".jacobian(", "tf.gather("),
        *(".batch_jacobian(", "tf.newaxis", "experimental_use_pfor=False", "complex64", "float16"),
        *("tf.zeros([0", "axis=-", "stop_gradient(", "trainable=False", " as t1:", "h0 = "),
    ],
)
def test_what_may_happen_under_a_tape_happens(part):
    assert any(part in text for text in texts())


def test_a_planted_difference_is_found_in_value_and_in_gradient():
    text = program_of_sines()
    mismatch = difference(run(with_a_wrong_sine(), text), run(tapelab, text))
    assert mismatch is not None
    assert mismatch.what == "value"


def program_of_sines():
    """A program that runs to its end and has a sine in it."""
    turns = range(participants().index("sin"), 10**5, len(participants()))
    programs = (text for turn in turns if "tf.sin(x" in (text := program(7, turn)))
    return next(text for text in programs if not run(tapelab, text).raised and "0]" not in text)


def test_a_program_is_shrunk_to_the_statement_at_fault():
    wrong = with_a_wrong_sine()
    text = program_of_sines() + "z0 = tf.constant([1.0, 2.0])\nz1 = z0 * 3.0\n"

    def shows(each):
        mismatch = difference(run(wrong, each), run(tapelab, each))
        return mismatch is not None and mismatch.what == "value"

    small = shrink(text, shows)
    assert "sin" in small
    assert "z1" not in small
    assert len(small.splitlines()) <= 3


def test_a_block_around_the_statement_at_fault_is_taken_away():
    text = "with tf.GradientTape() as t0:\n    x0 = tf.constant(0.25)\n    y0 = tf.sin(x0)\n"
    assert shrink(text, lambda each: "sin(x0)" in each) == "y0 = tf.sin(x0)\n"


OUTCOMES = {
    "exception": ("tf.constant(1.0) + tf.constant(1)", "1.0"),
    "kind": ("None", "tf.constant(1.0)"),
    "dtype": ("tf.constant(1)", "tf.constant(1.0)"),
    "shape": ("tf.constant([1.0])", "tf.constant(1.0)"),
    "value": ("tf.constant([1.0, 2.0])", "tf.constant([1.0, 2.001])"),
}


@pytest.mark.parametrize("what", OUTCOMES)
def test_each_kind_of_difference_is_seen(what):
    one, other = (run(tapelab, f"y0 = {text}") for text in OUTCOMES[what])
    mismatch = difference(one, other)
    assert mismatch is not None
    assert mismatch.what == what


def test_a_gradient_that_becomes_dense_is_seen():
    block = "x = tf.Variable([1.0, 2.0])\nwith tf.GradientTape() as t:\n    y = tf.gather(x, [0])\n"
    sparse = run(tapelab, block + "g = t.gradient(y, x)")
    dense = run(tapelab, block + "g = tf.convert_to_tensor(t.gradient(y, x))")
    assert difference(sparse, dense).what == "kind"


def test_a_warning_that_is_missing_is_seen():
    block = "with tf.GradientTape() as t0:\n    {}\n"
    warned, silent = (run(tapelab, block.format(b)) for b in ("t0.watch(tf.constant(1))", "pass"))
    assert difference(warned, silent).what == "warning"


def test_a_rounding_that_grows_is_explained_and_a_wrong_digit_is_not():
    steep = "x0 = tf.constant(1.234)\ny0 = tf.exp(x0 * 70.0) - tf.exp(x0 * 70.0 + 1e-5)\n"
    moved = run(tapelab, steep.replace("1.234", "1.2340001"))
    assert rounding_explains(tapelab, steep, "y0", moved)
    flat = "x0 = tf.constant(1.234)\ny0 = tf.sin(x0)\n"
    assert not rounding_explains(tapelab, flat, "y0", run(with_a_wrong_sine(), flat))


def test_every_explanation_has_a_name_of_its_own_and_a_reason():
    table = {*TABLE, *OF_CONTEXTS}
    assert len({each.name for each in table}) == len(table)
    assert all(each.reason.endswith(".") for each in table)


def test_every_kind_of_program_is_written():
    assert all(share > 0 for share, _ in KINDS.values())


def test_a_seed_gives_the_same_captured_programs_again():
    assert [captured_program(7, number) for number in range(50)] == pairs()[:50]


def test_a_captured_program_comes_with_the_program_that_it_was_written_from():
    assert [plain for _, plain in pairs()] == texts()


def test_every_captured_program_can_be_pasted():
    for text, _ in pairs():
        ast.parse(text)


@pytest.mark.parametrize("name", CAPTURES)
def test_every_capture_is_drawn(name):
    marks = {line for line in CAPTURES[name].stored("tf.sin", 1) if "tf.sin" in line}
    escaped = [re.escape(mark).replace("1", r"\d+") for mark in marks]
    patterns = [mark.replace(r"tf\.sin", r"[\w.]+") for mark in escaped]
    lines = {line for text, _ in pairs() for line in text.splitlines()}
    assert any(re.fullmatch(pattern, line) for pattern in patterns for line in lines)


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda each: each.name)
def test_every_context_is_drawn(context):
    escaped = [re.escape(line.strip()) for line in context.text.splitlines()]
    *head, last = [re.sub(r"\\\{[\w\\ ]+\\\}", ".*", line) for line in escaped]
    pattern = r"\n *".join([*head, rf"\w+ = {last}\n"])
    assert any(re.search(pattern, text) for text, _ in pairs())


def test_no_op_is_called_by_its_own_name():
    functions = {f"tf.{name}" for name in surface.functions()}
    for text, _ in pairs():
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        assert not functions & {ast.unparse(call.func) for call in calls} - OF_A_CONTEXT


OF_A_CONTEXT = {"tf.cond", "tf.zeros", "tf.constant", "tf.range", "tf.function"}
"""What contexts call themselves."""


@pytest.mark.slow
def test_captures_and_contexts_change_no_value():
    for text, plain in pairs()[:200]:
        captured, expected = run(tapelab, text), run(tapelab, plain)
        returned = expected.values.keys() & captured.values.keys()  # a function returns no shapes
        expected.values = {name: expected.values[name] for name in returned}
        assert difference(captured, expected) is None, text


def test_a_planted_difference_is_found_behind_a_capture():
    wrong = with_a_wrong_sine()
    differences = [difference(run(wrong, text), run(tapelab, text)) for text in captured_sines()]
    assert differences
    assert all(each is not None and each.what == "value" for each in differences)


def captured_sines():
    """Captured programs that compute a sine of data and run to their end."""
    for turn in range(participants().index("sin"), 10**4, len(participants())):
        text, plain = captured_program(7, turn)
        runs = not run(tapelab, plain).raised and "0]" not in plain
        if "tf.sin(x" in plain and runs:
            yield text


def test_a_function_is_shrunk_to_the_statement_at_fault():
    text = (
        "@tf.function\ndef program(x0):\n    y0 = x0 + 1.0\n    y1 = tf.sin(x0)\n"
        "    return (y0, y1)\ny0, y1 = program(tf.constant(0.25))\n"
    )

    def shows(each):
        outcome = run(tapelab, each)
        return not outcome.raised and "y1" in outcome.values and "tf.sin" in each

    small = shrink(text, shows)
    assert "y0" not in small
    assert "tf.function" not in small
