"""Python's own functions where tf.function traces; tables/function_builtins.txt has more."""

from __future__ import annotations

import pytest


def collected(dataset):
    return list(dataset)


def paired(dataset):
    return list(zip(dataset, range(100), strict=False))


def comprehended(dataset):
    return [each for each in dataset]  # noqa: C416  it is the comprehension that is tried


@pytest.mark.parametrize("function", [collected, paired, comprehended])
def test_python_does_not_go_through_a_dataset_for_ever(tf, function):
    with pytest.raises(ValueError, match="unusually high number of"):
        tf.function(function)(tf.data.Dataset.range(3))


def test_an_iterator_made_in_a_function_begins_again_at_each_call(tf):
    @tf.function
    def first_two(dataset):
        iterator = iter(dataset)
        return next(iterator), next(iterator)

    numbers = tf.data.Dataset.range(3)
    assert [[int(each) for each in first_two(numbers)] for _ in range(2)] == [[0, 1], [0, 1]]


def test_an_iterator_that_a_function_receives_goes_on_at_each_call(tf):
    following = tf.function(lambda iterator: next(iterator))
    iterator = iter(tf.data.Dataset.range(2))
    assert [int(following(iterator)) for _ in range(2)] == [0, 1]
    with pytest.raises(tf.errors.OutOfRangeError):
        following(iterator)


def test_next_may_be_called_often_while_a_function_is_traced(tf):
    @tf.function
    def total(dataset):
        iterator = iter(dataset)
        return sum(next(iterator) for _ in range(40))

    assert int(total(tf.data.Dataset.range(40))) == sum(range(40))


def test_the_length_of_an_endless_dataset_is_an_error(tf):
    length = tf.function(lambda dataset: len(dataset))
    assert int(length(tf.data.Dataset.range(4))) == 4
    with pytest.raises(tf.errors.InvalidArgumentError, match="definitive cardinality, got -1"):
        length(tf.data.Dataset.range(4).repeat())
