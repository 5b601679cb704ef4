"""A learner's values become plain arrays before anything is compared."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.exercises.checks import prediction, value
from tapelab.exercises.plain import NotPlain, close, plain


class AlwaysEqual:
    def __eq__(self, other):
        return True

    __hash__ = None

    def __array__(self, *_, **__):
        return np.array(6.0)


class EqualFloat(float):
    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


class EqualArray(np.ndarray):
    def __eq__(self, other):
        return np.ones(self.shape, bool)

    __hash__ = None


class EqualText(str):
    __slots__ = ()

    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


class EqualDict(dict):
    def __contains__(self, key):
        return True

    def __getitem__(self, key):
        return 6.0


def equal_tensor(tf):
    class EqualTensor(tf.Tensor):
        def numpy(self):
            return np.float32(6.0)

    return object.__new__(EqualTensor)


@pytest.mark.parametrize("given", [6, 6.0, np.float32(6), np.array(6.0), [6.0, 6.0], (1, 2)])
def test_numbers_arrays_and_lists_of_them_are_plain(given):
    assert plain(given).tolist() == np.array(given).tolist()


def test_a_tensor_and_a_variable_are_plain(tf):
    assert plain(tf.constant([1.0, 2.0])).tolist() == [1.0, 2.0]
    assert plain(tf.Variable(3.0)) == 3.0


def test_the_array_is_a_copy():
    given = np.array([1.0, 2.0])
    plain(given)[0] = 9.0
    assert given[0] == 1.0


@pytest.mark.parametrize(
    "given",
    [AlwaysEqual(), [AlwaysEqual()], np.array([AlwaysEqual()], object), "6.0", None, {"x": 6.0},
     [[1.0], [1.0, 2.0]]],
)  # fmt: skip
def test_what_only_poses_as_a_number_is_not_let_in(given):
    with pytest.raises(NotPlain):
        plain(given)


@pytest.mark.parametrize("given", [EqualFloat(1.0), np.ones(()).view(EqualArray)])
def test_a_subclass_gives_its_own_numbers_whatever_it_answers(given):
    assert type(plain(given)) is np.ndarray
    assert plain(given).tolist() == 1.0


def test_a_tensor_that_overrides_numpy_is_not_let_in(tf):
    with pytest.raises(NotPlain):
        plain(equal_tensor(tf))


@pytest.mark.parametrize("trick", [AlwaysEqual(), EqualFloat(0.0), EqualText("6.0")])
def test_an_answer_that_equals_everything_earns_nothing(returned, trick):
    assert returned(value("v", 4, 6.0), trick).points == 0
    assert returned(prediction("p", 4, 6.0, where=(), because=""), trick).points == 0
    assert returned(prediction("p", 4, "b", where=(), because=""), trick).points == 0


def test_a_dict_that_makes_up_its_entries_earns_nothing(returned):
    assert returned(value("v", 4, 6.0, where=("x",)), EqualDict()).points == 0


def test_close_wants_the_same_shape_and_numbers():
    assert close(np.array([1.0, 2.0]), np.array([1.0, 2.00001]), 1e-3)
    assert close(np.array(np.nan), np.array(np.nan), 1e-3)
    assert not close(np.array([1.0, 2.0]), np.array([1.0, 2.1]), 1e-3)
    assert not close(np.array([1.0, 1.0]), np.array(1.0), 1e-3)
    assert not close(np.array("1.0"), np.array(1.0), 1e-3)
