"""AutoGraph's rewriting keeps the learner's lines, and says what to write where it cannot."""

from __future__ import annotations

import traceback

import pytest

import tapelab
from tapelab.compile.autograph.source_transform import convert_function


def branching(x):
    if x > 0:
        y = x * 2
        y = y + 0
    else:
        y = -x
    return y


def failing(x):
    y = x
    if x > 0:
        y = x + "text"
    return y


def looping(n):
    total = 0
    for i in range(n):
        if i == 2:
            continue
        total += i
    while total > 100 and n:
        total -= 1
    return total or None


def test_rewritten_code_does_the_same_with_python_values():
    assert [convert_function(branching)(x) for x in (3, -3)] == [6, 3]
    assert [convert_function(looping)(n) for n in (0, 2, 5)] == [looping(n) for n in (0, 2, 5)]


def test_the_name_the_defaults_and_the_closure_stay():
    factor = 3

    def scaled(x, times=2, *, shift=1):
        return x * factor * times + shift

    made = convert_function(scaled)
    assert made is not scaled
    assert (made.__name__, made(1), made(1, 3), made(1, shift=0)) == ("scaled", 7, 10, 6)


def test_a_traceback_shows_the_line_that_was_written(tf):
    with pytest.raises((TypeError, ValueError)) as caught:
        tf.function(failing)(tf.constant(1))
    lines = [frame.line for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert 'y = x + "text"' in lines


def test_the_rewritten_code_can_be_read(tf):
    assert "ag__.if_(x > 0" in tf.autograph.to_code(branching)
    assert "ag__.for_(" in tf.autograph.to_code(tf.function(looping))


def test_a_function_without_source_is_run_as_it_is(tf):
    names = {"tf": tf}
    exec("def hidden(x):\n    return x + 1\n", names)
    assert tf.function(names["hidden"])(tf.constant(1)).numpy() == 2


def test_an_if_without_source_says_what_to_write(tf):
    names = {"tf": tf}
    exec("def hidden(x):\n    return 1 if x > 0 else 2\n", names)
    with pytest.raises(tapelab.errors.OperatorNotAllowedInGraphError, match=r"tf\.cond"):
        tf.function(names["hidden"])(tf.constant(1))


def test_library_code_is_not_rewritten():
    assert convert_function(tapelab.reshape) is tapelab.reshape
    assert convert_function(len) is len


def test_a_generator_is_not_rewritten():
    def numbers():
        yield 1

    assert convert_function(numbers) is numbers


def test_do_not_convert_leaves_a_function_alone(tf):
    function = tf.autograph.experimental.do_not_convert(lambda x: not x)
    assert convert_function(function) is function


def test_a_global_that_is_written_in_a_branch_is_the_global(tf):
    names = {"tf": tf, "seen": 0}
    source = (
        "def f(x):\n    global seen\n    if True:\n        seen = seen + 1\n    return x + seen\n"
    )
    import linecache

    linecache.cache["<global>"] = (len(source), None, source.splitlines(True), "<global>")
    exec(compile(source, "<global>", "exec"), names)
    assert tf.function(names["f"])(tf.constant(1)).numpy() == 2
    assert names["seen"] == 1


def test_a_lambda_is_rewritten_where_it_is_the_only_one_on_its_line(tf):
    size = tf.function(lambda x: x if x > 0 else -x)
    assert [size(tf.constant(value)).numpy() for value in (-3.0, 3.0)] == [3.0, 3.0]


def test_the_call_of_an_object_is_rewritten(tf):
    class Clip:
        limit = 2.0

        def __call__(self, x):
            if x > self.limit:
                x = tf.constant(self.limit)
            return x

    clip = tf.function(Clip())
    assert [clip(tf.constant(value)).numpy() for value in (5.0, 1.0)] == [2.0, 1.0]
