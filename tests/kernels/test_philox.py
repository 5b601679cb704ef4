"""Philox: the published numbers, counters that carry over, and draws that hold to their limits."""

from __future__ import annotations

from itertools import islice

import numpy as np

from tapelab.kernels import draws, index_shuffle, philox, rejection

FLOAT, DOUBLE, LONG = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)


def test_the_words_of_counter_0_and_key_0_are_those_of_its_authors():
    words = philox.words(0, 0, 1)[0]
    assert [f"{word:08x}" for word in words.tolist()] == [
        "6627e8d5",
        "e169c58d",
        "bc57ac4c",
        "9b00dbd8",
    ]


def test_counters_one_after_the_other_are_one_row_of_numbers():
    whole = philox.words(7, 3, 6)
    np.testing.assert_array_equal(philox.words(9, 3, 4), whole[2:])
    np.testing.assert_array_equal(philox.words(7, 3, 3, stride=2), whole[::2])


def test_a_few_words_and_many_are_the_same():
    for counter in (0, 2**64 - 20, 2**128 - 3):
        many = philox.words(counter, 2**63 + 5, 64)
        for at in (0, 7, 30):
            place = (counter + at) % 2**128
            np.testing.assert_array_equal(many[at], philox.words(place, 2**63 + 5, 1)[0])


def test_a_counter_carries_into_its_upper_half():
    over = philox.words(2**64 - 1, 5, 2)
    np.testing.assert_array_equal(over[1], philox.words(2**64, 5, 1)[0])


def test_unit_numbers_stay_below_1_and_spread_evenly():
    for dtype in (np.dtype(np.float16), FLOAT, DOUBLE):
        x = draws.unit((11, 2), (20_000,), dtype)
        assert x.dtype == dtype
        assert 0 <= x.min() < x.max() < 1
        counts = np.histogram(x.astype(float), 10, (0, 1))[0]
        assert abs(counts - 2000).max() < 250


def test_the_bell_curve_has_mean_0_and_width_1():
    for dtype in (FLOAT, DOUBLE):
        x = draws.normal((1, 2), (40_000,), dtype)
        assert abs(x.mean()) < 0.02
        assert abs(x.std() - 1) < 0.02
        cut = draws.cut_normal((1, 2), (40_001,), dtype)
        assert cut.shape == (40_001,)
        assert abs(cut).max() < 2
        assert abs(cut.std() - 0.8796) < 0.02


def test_integers_fill_their_range():
    assert set(draws.below((5, 6), (500,), np.dtype(np.int32), -2, 3).tolist()) == set(range(-2, 3))
    full = draws.whole((5, 6), (500,), LONG)
    assert full.min() < -(2**62)
    assert full.max() > 2**62


def test_an_order_names_every_place_once():
    assert sorted(draws.order((3, 4), 50)) == list(range(50))
    assert draws.order((3, 4), 0) == []


def test_nothing_can_be_drawn():
    assert draws.cut_normal((0, 0), (0,), FLOAT).shape == (0,)
    assert draws.unit((0, 0), (2, 0), DOUBLE).shape == (2, 0)


def test_words_of_counters_in_any_order_are_those_of_the_row():
    row = philox.words(2**64 - 20, 5, 64)
    offsets = np.array([40, 3, 3, 63, 0, 19, 20, 21, 22, 7], np.uint64)
    np.testing.assert_array_equal(philox.words_at(2**64 - 20, 5, offsets), row[offsets])
    np.testing.assert_array_equal(philox.words_at(2**64 - 20, 5, offsets[:3]), row[offsets[:3]])
    sequence = draws.word_sequence((2**64 - 20, 5))
    assert list(islice(sequence, 256)) == row.ravel().tolist()


def test_numbers_by_rejection_have_the_moments_of_their_distributions():
    shapes, rates = np.array([0.3, 1.0, 4.0]), np.array([0.5, 6.0, 40.0])
    chances = np.array([0.05, 0.5, 0.9])
    tries = np.full(3, 60.0)
    spreads, size = 60 * chances * (1 - chances), (8_000, 3)
    for numbers, mean, variance in (
        (rejection.gamma((1, 2), shapes, size), shapes, shapes),
        (rejection.poisson((1, 2), rates, size), rates, rates),
        (rejection.binomial((1, 2), tries, chances, size), 60 * chances, spreads),
    ):
        assert numbers.shape == size
        np.testing.assert_allclose(numbers.mean(0), mean, atol=5 * np.sqrt(variance.max() / 8_000))
        np.testing.assert_allclose(numbers.var(0), variance, rtol=0.15)


def test_a_shuffled_range_names_every_index_once():
    for last in (1, 9, 300):
        places = [index_shuffle.shuffled_index(at, (1, 2, 3), last) for at in range(last + 1)]
        assert sorted(places) == list(range(last + 1))
        assert places != sorted(places)
    assert index_shuffle.shuffled_index(0, (1, 2, 3), 0) == 0
