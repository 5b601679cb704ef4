"""tf.Module: what TensorFlow answers stands in the goldens; here is what a tape shows of it."""

from __future__ import annotations

import inspect

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


class Scale(tf.Module):
    """One weight, in a module without a name of its own."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable(2.0, name="w")

    def __call__(self, x):
        scaled = x * self.w
        return tf.tanh(scaled)


class Stack(tf.Module):
    """Modules in a list, in a dict and in an attribute."""

    def __init__(self):
        super().__init__(name="stack")
        self.first = Scale()
        self.blocks = [Scale(), Scale()]
        self.heads = {"a": Scale()}

    def __call__(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.heads["a"](x)


def recorded(model, x=1.0):
    with tf.GradientTape() as tape:
        y = model(tf.constant(x))
    return tape.recording(y)


def test_each_call_of_a_module_is_a_group_named_after_its_place_in_the_one_around():
    groups = recorded(Stack()).groups
    assert [(group.name, group.parent, group.kind) for group in groups] == [
        ("stack", -1, "module"),
        ("first", 0, "module"),
        ("blocks[0]", 0, "module"),
        ("blocks[1]", 0, "module"),
        ("heads['a']", 0, "module"),
    ]


def test_a_module_without_a_name_has_that_of_its_class_in_its_group():
    class NeverNamed(tf.Module):
        def __init__(self):
            self.w = tf.Variable(2.0)

        def __call__(self, x):
            return x * self.w * self.w

    assert [group.name for group in recorded(NeverNamed()).groups] == ["never_named"]


def test_a_call_that_goes_on_in_the_class_above_is_one_group():
    class Loud(Scale):
        def __call__(self, x):
            return super().__call__(x) * 2.0

    assert [group.name for group in recorded(Loud()).groups] == ["loud"]


def test_what_a_module_computes_keeps_the_names_that_its_code_gives():
    recording = recorded(Scale())
    named = [recording.tensor(at).name for at in range(len(recording.columns["tensor.role"]))]
    assert "scaled" in named


def test_an_error_in_a_call_leaves_its_group():
    class Fails(tf.Module):
        def __call__(self, x):
            raise ValueError("no")

    with tf.GradientTape() as tape:
        x = tf.Variable(1.0)
        with pytest.raises(ValueError, match="no"):
            Fails()(x)
        y = x * x
    assert tape.recording(y).groups == ()


def test_a_decorated_call_has_the_signature_and_the_words_of_the_users():
    assert Dense.__call__.__name__ == "__call__"
    assert list(inspect.signature(Scale.__call__).parameters) == ["self", "x"]
