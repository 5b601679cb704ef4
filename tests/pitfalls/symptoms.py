"""What goes wrong, seen from outside: what the gradient `g` of a snippet looks like."""

import numpy as np

import tapelab


def _numbers(names):
    g = names["g"]
    assert g is not None
    return np.asarray(tapelab.convert_to_tensor(g)).astype(np.complex128)


def is_none(names):
    return names["g"] is None


def is_not_finite(names):
    return not np.all(np.isfinite(_numbers(names)))


def is_zero(names):
    return bool(np.all(np.abs(_numbers(names)) < 1e-6))


def is_a_number(names):
    return bool(np.all(np.isfinite(_numbers(names))))


def is_an_error(names):
    return isinstance(names["error"], Exception)


def is_anything(names):
    return True


def are_numbers(names):
    gradients = [tapelab.convert_to_tensor(g).numpy() for g in tapelab.nest.flatten(names["g"])]
    return all(np.all(np.isfinite(g)) and np.any(g != 0) for g in gradients)


CURES = {
    "number": are_numbers,
    "None": is_none,
    "zero": is_zero,
    "nothing": is_anything,
}

SYMPTOMS = {
    "None": is_none,
    "nan": is_not_finite,
    "zero": is_zero,
    "value": is_a_number,  # a finite gradient, and not the one that was meant
    "error": is_an_error,
    "silent": is_anything,  # the gradient is right; something beside it is not
}
