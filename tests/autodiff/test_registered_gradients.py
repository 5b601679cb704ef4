"""Gradients of ops that have none, registered by the learner under TensorFlow's names."""

from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.core.op_declaration import REGISTERED


@pytest.fixture
def _registered():
    """Take back what a test registers."""
    before = dict(REGISTERED)
    yield
    REGISTERED.clear()
    REGISTERED.update(before)


def contrasted(image, factor):
    with tf.GradientTape() as tape:
        tape.watch(image)
        y = tf.image.adjust_contrast(image, factor)
    return tape, y


@pytest.mark.usefixtures("_registered")
def test_a_registered_gradient_differentiates_what_has_none():
    image, factor = tf.constant([[[1.0], [2.0]], [[3.0], [6.0]]]), tf.constant(2.0)
    tape, y = contrasted(image, factor)
    with pytest.raises(LookupError, match="gradient registry has no entry for: AdjustContrastv2"):
        tape.gradient(y, image)
    seen = []

    @tf.RegisterGradient("AdjustContrastv2")
    def contrast_grad(op, dy):
        """Spread the upstream gradient around its mean."""
        seen.append((op.type, op.get_attr("T"), len(op.inputs), op.outputs[0].shape.rank))
        factor = op.inputs[1]
        mean = tf.reduce_mean(dy, axis=(-3, -2), keepdims=True)
        return dy * factor + mean * (1.0 - factor), None

    tape, y = contrasted(image, factor)
    seed = tf.constant([[[4.0], [0.0]], [[0.0], [0.0]]])
    gradient = tape.gradient(y, image, output_gradients=seed)
    assert gradient.numpy().ravel().tolist() == [7.0, -1.0, -1.0, -1.0]
    assert seen == [("AdjustContrastv2", tf.float32, 2, 3)]
    facts = next(op for op in tape.recording().ops if op.name == "adjust_contrast_v2")
    assert facts.pattern == "differentiable"
    assert facts.rules[0].sentence == "Spread the upstream gradient around its mean."


@pytest.mark.usefixtures("_registered")
def test_a_registered_gradient_is_itself_differentiable():
    @tf.RegisterGradient("AdjustContrastv2")
    def contrast_grad(op, dy):
        return dy * op.inputs[0] ** 2, None

    image = tf.Variable([[[3.0]]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.image.adjust_contrast(image, 1.0)
        gradient = inner.gradient(y, image)
    assert float(outer.gradient(gradient, image)) == 6.0


@pytest.mark.usefixtures("_registered")
def test_a_registered_gradient_may_be_registered_once():
    tf.RegisterGradient("AdjustContrastv2")(lambda op, dy: (dy, None))
    with pytest.raises(KeyError, match="Registering two gradient with name 'AdjustContrastv2'!"):
        tf.RegisterGradient("AdjustContrastv2")(lambda op, dy: (dy, None))
    tf.RegisterGradient("MyOwnOp")(lambda op, dy: dy)
    with pytest.raises(KeyError, match="Registering two gradient with name 'MyOwnOp'!"):
        tf.no_gradient("MyOwnOp")


@pytest.mark.usefixtures("_registered")
def test_a_registered_gradient_gives_one_for_every_input():
    tf.RegisterGradient("AdjustContrastv2")(lambda op, dy: dy)
    image = tf.constant([[[1.0]]])
    tape, y = contrasted(image, 2.0)
    with pytest.raises(tf.errors.InternalError, match="Expected 2 but received 1"):
        tape.gradient(y, image)


@pytest.mark.usefixtures("_registered")
def test_an_unknown_setting_of_an_op_is_named():
    tf.RegisterGradient("AdjustContrastv2")(lambda op, dy: op.get_attr("foo"))
    image = tf.constant([[[1.0]]])
    tape, y = contrasted(image, 2.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Attribute 'foo' does not exist"):
        tape.gradient(y, image)


@pytest.mark.usefixtures("_registered")
def test_no_gradient_turns_the_error_into_none_and_says_so():
    tf.no_gradient("AdjustContrastv2")
    image = tf.constant([[[1.0]]])
    tape, y = contrasted(image, 2.0)
    assert tape.gradient(y, image) is None
    explanation = " ".join(str(tf.explain(tape, y, image)).split())
    assert "tf.no_gradient('AdjustContrastv2') declares that no gradient passes" in explanation
