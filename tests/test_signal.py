"""Signals: what is transformed comes back, and gradients follow Parseval."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf


@pytest.fixture
def wave():
    return tf.constant(np.random.default_rng(3).normal(size=64).astype(np.float32))


@pytest.mark.parametrize("length", [7, 8])
def test_a_transform_and_its_inverse_give_the_signal(length):
    x = np.random.default_rng(0).normal(size=(2, length))
    spectrum = tf.signal.fft(tf.constant(x + 0j))
    np.testing.assert_allclose(tf.signal.ifft(spectrum).numpy().real, x, atol=1e-12)
    half = tf.signal.rfft(tf.constant(x))
    np.testing.assert_allclose(tf.signal.irfft(half, [length]), x, atol=1e-12)
    np.testing.assert_allclose(half, spectrum[:, : length // 2 + 1], atol=1e-12)


def test_the_energy_of_a_spectrum_is_that_of_the_signal_times_its_length(wave):
    with tf.GradientTape() as tape:
        tape.watch(wave)
        energy = tf.reduce_sum(tf.abs(tf.signal.fft(tf.cast(wave, tf.complex64))) ** 2)
    np.testing.assert_allclose(energy, 64 * np.sum(wave.numpy() ** 2), rtol=1e-5)
    np.testing.assert_allclose(tape.gradient(energy, wave), 128 * wave, rtol=1e-4)


def test_frames_under_fitting_windows_add_up_to_the_signal(wave):
    frames = tf.signal.stft(wave, 16, 4)
    window = tf.signal.inverse_stft_window_fn(4)
    back = tf.signal.inverse_stft(frames, 16, 4, window_fn=window)
    np.testing.assert_allclose(back[16:48], wave[16:48], atol=1e-5)


def test_folded_cosines_unfold_to_the_signal(wave):
    back = tf.signal.inverse_mdct(tf.signal.mdct(wave, 16))
    np.testing.assert_allclose(back[8:-8], wave[8:-8], atol=1e-5)


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_an_orthonormal_cosine_transform_keeps_lengths(wave, kind):
    transformed = tf.signal.dct(wave, type=kind, norm="ortho")
    np.testing.assert_allclose(tf.norm(transformed), tf.norm(wave), rtol=1e-5)
    np.testing.assert_allclose(
        tf.signal.idct(transformed, type=kind, norm="ortho"), wave, atol=1e-5
    )


def test_the_gradient_of_a_framed_variable_is_dense():
    x = tf.Variable([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.signal.frame(x, 2, 1) * [[1.0, 10.0]])
    gradient = tape.gradient(y, x)
    assert isinstance(gradient, tf.Tensor)
    assert gradient.numpy().tolist() == [1.0, 11.0, 11.0, 10.0]


def test_a_spectrum_turned_twice_is_the_same_again():
    x = tf.reshape(tf.range(15), [3, 5])
    np.testing.assert_array_equal(tf.signal.ifftshift(tf.signal.fftshift(x)), x)
