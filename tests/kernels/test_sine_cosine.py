"""Sines and cosines of large arrays in 64 bits keep their digits, also near whole quarter turns."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.kernels import loader, sine_cosine

EACH = [(sine_cosine.sine, np.sin), (sine_cosine.cosine, np.cos)]


@pytest.fixture(autouse=True)
def at_any_size(monkeypatch):
    """Let the kernels run on small arrays, too, and let none fail in silence."""
    monkeypatch.setattr(sine_cosine, "COMPILED_FROM", 1)
    yield
    assert not loader._given_up


def ulps(got, exact):
    return np.max(np.abs(got - exact) / np.spacing(np.abs(exact.astype(np.float64))))


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="no wider float to compare with")
@pytest.mark.parametrize(("function", "plain"), EACH)
@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1, 30, 1e5])
def test_digits_of_ordinary_angles(function, plain, scale):
    x = np.random.default_rng(0).normal(size=20_000) * scale
    assert ulps(function(x), plain(x.astype(np.longdouble))) <= sine_cosine.ULPS


@pytest.mark.parametrize(("function", "plain"), EACH)
def test_digits_near_whole_quarter_turns(function, plain):
    x = np.arange(1, 100_000) * (np.pi / 2)  # the nearer to a zero, the more digits cancel
    x = x[x < sine_cosine.FARTHEST]
    for nearby in (x, np.nextafter(x, 0), np.nextafter(x, np.inf)):
        assert ulps(function(nearby), plain(nearby)) <= sine_cosine.ULPS


def test_zero_keeps_its_sign_and_the_least_number_its_value():
    x = np.array([0.0, -0.0, 5e-324, -5e-324])
    np.testing.assert_array_equal(sine_cosine.sine(x), x)
    np.testing.assert_array_equal(np.signbit(sine_cosine.sine(x)), np.signbit(x))
    np.testing.assert_array_equal(sine_cosine.cosine(x), 1)


@pytest.mark.parametrize("awkward", [np.nan, np.inf, -np.inf, 1e7, -1e300])
@pytest.mark.parametrize(("function", "plain"), EACH)
def test_angles_too_far_away_are_left_to_numpy(function, plain, awkward):
    x = np.array([0.5, awkward, -3.0])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(function(x), plain(x))
    assert sine_cosine._compiled("sine", x) is None


def test_layouts_and_other_dtypes():
    x = np.random.default_rng(0).normal(size=(6, 8))
    for each in (x.T, x[::2, ::3], x[::-1]):
        np.testing.assert_allclose(sine_cosine.sine(each), np.sin(each), rtol=1e-15)
    assert sine_cosine.sine(x.astype(np.float32)).dtype == np.float32
