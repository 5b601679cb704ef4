from __future__ import annotations

import json

import numpy as np
import pytest

import tapelab as tf
from tapelab.diagnosis import explain_call
from tapelab.recording import from_bytes
from tapelab.views import json_export
from tests.fixtures.record import FOLDER

NAMES = sorted(path.stem for path in FOLDER.glob("*.tape"))


def exported(recording, explanation=None):
    return json.loads(json_export.as_json(recording, explanation))


@pytest.mark.parametrize("name", NAMES)
def test_every_recording_is_exported_whole_in_strict_json(name):
    recording = from_bytes((FOLDER / f"{name}.tape").read_bytes())
    read = exported(recording)
    assert len(read["events"]) == len(recording)
    assert len(read["tensors"]) == len(recording.columns["tensor.role"])
    assert [each["name"] for each in read["variables"]] == [
        each.name for each in recording.variables
    ]


def test_kinds_roles_and_causes_are_words():
    read = exported(from_bytes((FOLDER / "scene_a.tape").read_bytes()))
    ran = next(each for each in read["events"] if each["kind"] == "ran")
    assert (ran["cause"], ran["text"]) == ("taped", "x * y")
    assert read["tensors"][ran["outputs"][0]]["role"] == "result"
    assert next(each for each in read["events"] if each["kind"] == "asked")["method"] == "picture"


def test_nan_infinity_and_complex_numbers_have_a_form():
    with tf.GradientTape() as tape:
        z = tf.constant([np.nan, np.inf])
        tape.watch(z)
        c = tf.constant(1 + 2j)
        tape.watch(c)
        _ = z * 2.0, c * 2.0
    values = [each["values"] for each in exported(tape.recording())["tensors"]]
    assert ["nan", "inf"] in values
    assert [1.0, 2.0] in values


def test_the_explanation_comes_along():
    recording = from_bytes((FOLDER / "numpy_detour.tape").read_bytes())
    read = exported(recording, explain_call(recording, 0))
    assert read["explanation"]["findings"][0]["code"] == "LEFT_ENGINE"
    assert exported(recording)["explanation"] is None


def test_a_place_names_the_function_around_it():
    def squeezed(x):
        return tf.tanh(x)

    with tf.GradientTape() as tape:
        y = squeezed(tf.Variable(0.0))
    places = {each["text"]: each["at"] for each in exported(tape.recording(y))["events"]}
    assert places["tf.tanh(x)"]["function"] == "squeezed"

    cell = exported(from_bytes((FOLDER / "scene_a.tape").read_bytes()))
    assert all("function" not in each["at"] for each in cell["events"] if each["at"])
