"""Uncaught errors end at the user's line; the whole traceback is there for who asks for it."""

import subprocess
import sys

import pytest

import tapelab as tf
from tapelab.core.traceback_filter import hide_internals


@pytest.fixture(autouse=True)
def _as_at_first():
    yield
    tf.debugging.enable_traceback_filtering()


def product(x, w):
    return x @ w


def failure(function, *args):
    with pytest.raises(Exception) as caught:
        function(*args)
    return caught.value


def functions_of(trace):
    names = []
    while trace is not None:
        names.append(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    return names


def test_wrong_shapes_in_a_helper_are_shown_at_its_line():
    error = failure(product, tf.ones([2, 3]), tf.ones([2, 3]))
    assert len(functions_of(error.__traceback__)) > 2
    shown = hide_internals(error, error.__traceback__)
    assert functions_of(shown) == ["failure", "product"]


def test_the_errors_of_numpy_that_led_to_it_are_not_shown():
    error = failure(product, tf.ones([2, 3]), tf.ones([2, 3]))
    assert error.__cause__ is not None
    hide_internals(error, error.__traceback__)
    assert error.__cause__ is None
    assert error.__context__ is None


def test_a_cause_in_the_users_code_stays():
    def rewrite():
        try:
            {}["w"]
        except KeyError as error:
            raise failure(product, tf.ones([2, 3]), tf.ones([2, 3])) from error

    error = failure(rewrite)
    hide_internals(error, error.__traceback__)
    assert isinstance(error.__cause__, KeyError)


def test_the_users_function_inside_a_function_of_tf_is_shown():
    def fails(x):
        raise ZeroDivisionError

    error = failure(tf.map_fn, fails, tf.ones([2]))
    assert functions_of(hide_internals(error, error.__traceback__)) == ["failure", "fails"]


def test_an_error_of_the_user_alone_is_untouched():
    error = failure(int, "one")
    assert hide_internals(error, error.__traceback__) is error.__traceback__


def test_the_whole_traceback_is_shown_where_filtering_is_disabled():
    error = failure(product, tf.ones([2, 3]), tf.ones([2, 3]))
    assert tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.disable_traceback_filtering()
    assert not tf.debugging.is_traceback_filtering_enabled()
    assert hide_internals(error, error.__traceback__) is error.__traceback__
    assert error.__cause__ is not None


SCRIPT = """
import tapelab as tf
def layer(x, w):
    return x @ w
layer(tf.ones([2, 3]), tf.ones([2, 3]))
"""


def run(text):
    command = [sys.executable, "-c", text]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_python_prints_the_users_frames_alone():
    printed = run(SCRIPT)
    assert "in layer" in printed
    assert "tapelab/" not in printed
    assert printed.strip().endswith("In[1]: [2,3] [Op:MatMul]")
    assert "dispatch.py" in run(
        SCRIPT.replace("def", "tf.debugging.disable_traceback_filtering()\ndef", 1)
    )


def test_a_hook_of_somebody_else_stays():
    text = "import sys\nsys.excepthook = print\nimport tapelab\nassert sys.excepthook is print"
    assert run(text) == ""


def test_a_notebook_shows_the_users_lines_alone():
    shell = pytest.importorskip("IPython.core.interactiveshell")
    text = f"""
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors="nocolor")
shell.run_cell({SCRIPT!r})
"""
    assert shell
    command = [sys.executable, "-c", text]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "return x @ w" in printed
    assert "dispatch.py" not in printed


def test_a_target_that_is_a_number_says_where_its_value_left():
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = float(w) * 3.0
    with pytest.raises(
        AttributeError, match=r"`float\(w\)` in line \d+ took the value off the tape"
    ):
        tape.gradient(loss, w)
