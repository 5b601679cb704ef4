"""Whole programs, as guides and courses teach them, print what they print on TensorFlow."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from importlib import import_module

import numpy as np
import pytest
from guides.running import PROGRAMS, difference, printed, programs

LIBRARY = os.environ.get("TAPELAB_CONFORMANCE", "tapelab")


@pytest.fixture(autouse=True)
def _own_randomness() -> Iterator[None]:
    """Seeds that a program sets are those of no other test."""
    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002  programs use it
    yield
    random.setstate(python)
    np.random.set_state(numpy)  # noqa: NPY002  as above


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what a program warns of is the program's matter
@pytest.mark.parametrize("name", programs())
def test_program_prints_what_it_prints_on_tensorflow(name: str) -> None:
    recorded = (PROGRAMS / f"{name}.txt").read_text(encoding="utf-8")
    assert difference(printed(import_module(LIBRARY), name), recorded) == ""


def test_another_number_is_a_difference() -> None:
    assert difference("loss 0.51", "loss 0.52") != ""


def test_another_word_is_a_difference() -> None:
    assert difference("loss 0.51", "cost 0.51") != ""


def test_rounding_spaces_and_addresses_are_none() -> None:
    theirs = "[1.00001 2.]\n<tensorflow.x at 0x7f>"
    assert difference("[ 1.0     2.]\n<tapelab.x at 0x12>", theirs) == ""


def test_the_time_a_step_takes_is_none_in_any_unit() -> None:
    assert difference("2/2 - 0s - 997us/step", "2/2 - 1s - 254ms/step") == ""
