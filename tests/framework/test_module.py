"""tf.Module: what TensorFlow answers stands in the goldens; here is what a tape shows of it."""

from __future__ import annotations

import pytest

import tapelab as tf


class Dense(tf.Module):
    """A layer as the guides write it."""

    def __init__(self, units: int, name: str | None = None) -> None:
        super().__init__(name=name)
        self.units = units
        self.built = False

    @tf.Module.with_name_scope
    def __call__(self, x):
        if not self.built:
            self.w = tf.Variable(tf.ones([x.shape[-1], self.units]), name="w")
            self.b = tf.Variable(tf.zeros([self.units]), name="b")
            self.built = True
        return tf.nn.relu(x @ self.w + self.b)


class Net(tf.Module):
    """Two of them, one in a list."""

    def __init__(self) -> None:
        super().__init__(name="net")
        self.first = Dense(3, name="first")
        self.rest = [Dense(1, name="last")]

    @tf.Module.with_name_scope
    def __call__(self, x):
        return self.rest[0](self.first(x))


def test_variables_made_in_a_method_are_named_after_the_modules_around_it():
    net = Net()
    net(tf.ones((1, 2)))
    # A module's scope is fixed when it is made: made outside of net, it has only its own name.
    assert [v.name for v in net.trainable_variables] == ["first/b:0", "first/w:0", "last/b:0",
                                                         "last/w:0"]  # fmt: skip


def test_a_module_trains_until_it_fits():
    net, x, y = Net(), tf.constant([[1.0, 2.0], [2.0, 1.0]]), tf.constant([[1.0], [2.0]])
    losses = []
    for _ in range(40):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(x) - y) ** 2)
        for variable, gradient in zip(
            net.trainable_variables, tape.gradient(loss, net.trainable_variables), strict=True
        ):
            variable.assign_sub(0.02 * gradient)
        losses.append(float(loss))
    assert losses[-1] < 0.1 * losses[0]


def test_a_whole_prefix_takes_the_place_of_those_outside():
    with tf.name_scope("outside"), tf.name_scope("whole/prefix/") as scope:
        assert scope == "whole/prefix/"
        assert tf.Variable(1.0, name="v").name == "whole/prefix/v:0"
        assert tf.get_current_name_scope() == "whole/prefix"
    assert tf.get_current_name_scope() == ""


def test_one_scope_may_be_entered_again_inside_itself():
    scope = tf.name_scope("s")
    with scope, scope:
        assert tf.get_current_name_scope() == "s/s"
    assert tf.get_current_name_scope() == ""


def test_the_diagnosis_names_a_variable_of_a_module():
    net = Net()
    net(tf.ones((1, 2)))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.constant(net.first(tf.ones((1, 2))).numpy()))
    explanation = str(tf.explain(tape, y, net.first.w))
    assert "first/w" in explanation
    assert ".numpy()" in explanation


def test_a_name_with_a_blank_is_refused_with_what_would_do():
    with pytest.raises(ValueError, match="must be valid Python identifiers"):
        tf.Module(name="two words")
