"""`tf.raw_ops` leads to the public functions, by keywords alone."""

import inspect

import pytest

import tapelab as tf
from tapelab import raw_ops


@pytest.mark.parametrize("name", dir(raw_ops))
def test_every_op_of_the_table_has_a_public_function_that_takes_its_arguments(name):
    arguments, place = raw_ops._places()[name]
    wanted = [raw_ops.Argument.read(each) for each in arguments.split()]
    first = [each for each in wanted if each.by_position]
    rest = {each.public: None for each in wanted if not each.by_position and each.public}
    inspect.signature(raw_ops._public(place)).bind(*first, **rest)


@pytest.mark.parametrize("name", dir(raw_ops))
def test_no_import_of_the_module_hides_an_op(name):
    assert getattr(tf.raw_ops, name).__doc__.endswith("with the arguments that graphs use.")


def test_an_op_takes_keywords_only():
    with pytest.raises(TypeError, match="takes 0 positional arguments"):
        tf.raw_ops.Abs(-1.0)


def test_a_missing_or_unknown_argument_is_named():
    with pytest.raises(TypeError, match="missing required argument: y"):
        tf.raw_ops.Mul(x=1.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'; it takes x, y"):
        tf.raw_ops.Mul(x=1.0, y=2.0, z=3.0)


def test_an_op_that_is_not_there_names_the_nearest():
    with pytest.raises(AttributeError, match=r"The nearest is tf.raw_ops.MatMul"):
        tf.raw_ops.Matmul  # noqa: B018  asking for it raises


def test_a_raw_op_is_on_the_tape_like_any_other():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.raw_ops.Sum(input=tf.raw_ops.Square(x=x), axis=0)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]
