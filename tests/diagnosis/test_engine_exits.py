"""Every name that a line may be given in place of NumPy's is there, and means the same."""

from operator import attrgetter

import numpy as np
import pytest

import tapelab as tf
from tapelab.diagnosis.engine_exits import REDUCTIONS, TF_NAMES
from tests.pitfalls.snippets import explained, mended

NOT_ONE_VECTOR = {
    *("where", "matmul", "transpose", "reshape", "stack", "expand_dims", "tile", "clip"),
}
VECTORS = sorted(
    name for name in set(TF_NAMES) - NOT_ONE_VECTOR if hasattr(np, name) or "." in name
)


@pytest.mark.parametrize("name", TF_NAMES)
def test_the_name_exists(name):
    assert callable(attrgetter(TF_NAMES[name] or name)(tf))


def test_the_reductions_are_functions_too():
    assert set(TF_NAMES) >= REDUCTIONS


@pytest.mark.parametrize("name", VECTORS)
def test_it_computes_what_numpy_computes(name):
    numpy, ours = attrgetter(name)(np), attrgetter(TF_NAMES[name] or name)(tf)
    x = np.array([1.25, 1.5]) if name in {"acosh", "arccosh"} else np.array([0.25, 0.5])
    two = getattr(numpy, "nin", 1) == 2
    arguments = (x, x[::-1].copy()) if two else (x,)
    assert np.allclose(ours(*map(tf.constant, arguments)).numpy(), numpy(*arguments))


LINES = {
    "np.asarray(h).sum()": "tf.reduce_sum(h)",
    "np.float32(np.dot(h, h))": None,
    "np.exp(h.numpy()).mean()": "tf.reduce_mean(tf.exp(h))",
    "np.linalg.norm(h)": "tf.norm(h)",
    "np.power(h, 2.0).sum()": "tf.reduce_sum(tf.pow(h, 2.0))",
    "h[0].numpy().item()": "h[0]",
    "tf.constant(h.numpy(), dtype=tf.float32)": "h",
    "np.array([1.0, 2.0]) @ h.numpy()": "np.array([1.0, 2.0]) @ h",
}


@pytest.mark.parametrize("line", LINES)
def test_the_line_without_the_detour(line):
    snippet = f"""
        x = tf.Variable([0.5, 2.0])
        with tf.GradientTape() as tape:
            h = tf.sin(x)
            m = {line}
            y = tf.reduce_sum(tf.constant(m, tf.float32)) * 2.0
        """
    (finding,) = explained(snippet).findings
    assert finding.code == "LEFT_ENGINE"
    first = finding.fix and finding.fix.after.split("\n")[0]
    expected = LINES[line]
    assert first == (expected and f"m = {expected}") or expected is None


def test_a_name_that_tf_lacks_leaves_the_line_alone():
    (finding,) = explained("""
        x = tf.Variable([0.5, 2.0])
        with tf.GradientTape() as tape:
            m = np.median(x)
            y = tf.constant(m) * 2.0
        """).findings
    assert finding.code == "LEFT_ENGINE"
    assert finding.fix is None


def test_a_detour_over_several_lines_is_mended_as_a_whole():
    gradient = mended("""
        x = tf.Variable([0.5, 2.0])
        with tf.GradientTape() as tape:
            h = (x * x).numpy()
            m = np.sqrt(h.mean())
            y = tf.convert_to_tensor(m) * 2.0
        g = tape.gradient(y, x)
        """)
    assert np.allclose(gradient.numpy(), [0.34299716, 1.3719887])
