"""What a worker may send to exhaust the judge is refused before anything is allocated for it."""

from __future__ import annotations

import io
import json
import struct
from dataclasses import replace

import numpy as np
import pytest

from tapelab.errors import RecordingError
from tapelab.exercises.choices import quantity
from tapelab.exercises.predictions import Question
from tapelab.exercises.values import Numbers
from tapelab.exercises.verdict import outcome
from tapelab.grading.judge import Judge, JudgeLimits
from tapelab.grading.protocol import LONGEST_ANSWER, MOST_PARTS, Payload, ProtocolError
from tapelab.grading.protocol import decode_frame as decode
from tapelab.grading.recording_bounds import LARGEST_COLUMNS, MOST_NESTED
from tapelab.grading.replay_verifier import ReplayMismatch
from tapelab.grading.tamper_check import verified_trial
from tapelab.recording import from_bytes
from tests.fixtures import hostile_input

LIMITS = JudgeLimits(cpu=5, wall=120.0, memory=256 << 20)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((1 << 24, 0), "U1"), ((0, 1 << 40), "f8"), ((1 << 24,), "U0"), ((1,) * 40, "f8"),
     ((1 << 62, 0, 1 << 62), "i1")],
)  # fmt: skip
def test_an_array_of_many_places_and_no_elements_is_refused(shape, dtype):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape}
    )
    content = file.getvalue() + bytes(8 if 0 not in shape and dtype != "U0" else 0)
    with pytest.raises(ProtocolError):
        Payload([content]).take({"numbers": [0, "an array", "string"]})


@pytest.mark.parametrize("number", [2266])
def test_a_message_that_once_raised_another_error_is_refused(number):
    assert hostile_input.read_messages([number], None) == {"refused": 1}


@pytest.mark.parametrize("shape", [(0,), (0, 3), (1000, 0), ()])
def test_an_honest_array_without_elements_arrives(shape):
    payload = Payload()
    encoded = payload.put(Numbers(np.empty(shape), "an array", "float64"))
    assert payload.take(encoded).array.shape == shape


def test_a_buffer_is_worth_one_array():
    payload = Payload()
    encoded = payload.put(Numbers(np.zeros(1 << 16), "an array", "float64"))
    with pytest.raises(ProtocolError, match="more than once"):
        payload.take({"list": [encoded] * 60})


def test_a_header_of_too_many_parts_is_refused_before_it_is_parsed():
    with pytest.raises(ProtocolError, match="too many parts"):
        decode(b'{"value": [' + b"[]," * MOST_PARTS + b"0]}", b"")


def test_an_answer_of_text_has_a_bound():
    assert Payload().take("x" * LONGEST_ANSWER)
    with pytest.raises(ProtocolError, match="too long"):
        Payload().take("x" * (LONGEST_ANSWER + 1))


def reply_within(limits, request):
    """What a judge with these limits replies; they end it where a parser is not linear."""
    judge = Judge(limits)
    try:
        judge.send(request)
        return judge.receive()
    finally:
        judge.end()


class Returned:
    """An answer that is one text."""

    def __init__(self, text):
        self.text = text

    def part(self, _):
        return self.text


def measure(_send):
    """Judge texts on which patterns that try again are quadratic."""
    size = LONGEST_ANSWER // 2
    texts = ["1" + " " * size + "x1", "1" * size + "x1", "1 " + "x" * size + "1", "." * size]
    return [outcome(quantity("Size", 1, 3.0, "kB"), Returned(each)).points for each in texts]


def predict(_send):
    """The same for predictions."""
    question = Question(1, "forward", "x", "+", "number", (2.0,))
    size = LONGEST_ANSWER // 2
    texts = ["1" * size + "x", "1" * size + ".x", "/" * size, " " * size + ";" + " " * size + "x"]
    kinds = ("number", "vector", "shape")
    return [replace(question, asks=kind).is_right(kind, each) for each in texts for kind in kinds]


@pytest.mark.parametrize("request_", [measure, predict])
def test_texts_are_judged_in_linear_time(request_):
    assert not any(reply_within(LIMITS, request_))


@pytest.mark.parametrize(("text", "points"), [("3 kB", 1), ("3.0kB", 1), (" .5 kB ", 0), ("3", 1)])
def test_a_quantity_is_read_as_before(text, points):
    assert outcome(quantity("Size", 1, 3.0, "kB"), Returned(text)).points == points


def with_header(change):
    """An honest recording whose header was changed."""
    honest = hostile_input.recorded()
    magic, schema, length = struct.unpack_from("<8sII", honest)
    header = json.loads(honest[16 : 16 + length])
    change(header)
    text = json.dumps(header).encode()
    return struct.pack("<8sII", magic, schema, len(text)) + text + honest[16 + length :]


def chain(start):
    """Groups around one another, more than there may be."""
    places = range(start, start + MOST_NESTED + 2)
    return [{"name": "f", "parent": at - 1, "span": -1, "kind": "call"} for at in places]


def verified(content):
    return verified_trial(content, {"call": 0, "position": 0}, str)


def test_an_honest_recording_is_within_all_bounds():
    assert verified(with_header(lambda header: None)).connected


@pytest.mark.parametrize("name", ["values", "event.fields", "more"])
def test_a_column_of_even_steps_is_as_long_as_it_may_be(name):
    def grow(header):
        header["columns"][name] = ["i32:+", 0, LARGEST_COLUMNS // 4 + 1, 1, 0, 1]

    with pytest.raises(RecordingError, match="more than"):
        verified(with_header(grow))


def test_a_table_says_as_many_fields_as_there_are():
    def lengthen(header):
        header["columns"]["event.fields.3.1.0"] = ["i32:+", 0, 1, 1, 0, 2**30]
        header["columns"]["event.start"] = ["i32:+", 0, header["columns"]["event.kind"][2] + 1,
                                            1, 0, 2**24]  # fmt: skip

    with pytest.raises(RecordingError, match="damaged"):
        from_bytes(with_header(lengthen))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda h: h["sources"][0].update(text="x = 1\n" * (1 << 17)), "too much text"),
        (lambda h: h["sources"][0].update(first_line=10**30), "out of range"),
        (lambda h: h["sources"][0].update(first_line=10**8), "out of range"),
        (lambda h: h["sources"][0].update(first_line=1.5), "another type"),
        (lambda h: h["sources"][0].update(text=["x"]), "another type"),
        (lambda h: h["strings"].append(7), "another type"),
        (lambda h: h["dtypes"].append(None), "another type"),
        (lambda h: h["shapes"].append([-1]), "out of range"),
        (lambda h: h["shapes"].append([1] * 99), "out of range"),
        (lambda h: h["tape"].update(name={"a": 1}), "another type"),
        (lambda h: h["tape"].update(persistent="yes"), "another type"),
        (lambda h: h["ops"][0].update(inputs=[{"a": 1}]), "another type"),
        (lambda h: h["variables"][0].update(span=10**12), "out of range"),
        (lambda h: h["groups"][0].update(kind=["call"]), "another type"),
        (lambda h: h["groups"][0].update(kind="another"), "unknown kind"),
        (lambda h: h["groups"][0].update(kind="call", arguments="x" * (1 << 20)), "too much text"),
        (lambda h: h["groups"][0].update(kind="call", parent=0), "out of range"),
        (lambda h: h["groups"][0].update(parent=-2), "out of range"),
        (lambda h: h["groups"][0].update(span=10**6), "out of range"),
        (lambda h: h["groups"].extend(chain(len(h["groups"]))), "too deep"),
        (lambda h: h["groups"].clear(), "out of range"),
        (lambda h: h["settings"].append([]), "another type"),
        (lambda h: h["settings"][0].update(axis=10**300), "out of range"),
        (lambda h: h["settings"][0].update(axis={"x": ["x" * (1 << 20)]}), "too much text"),
        (lambda h: h["settings"].clear(), "out of range"),
        (lambda h: h["columns"].update({"setting.row": h["columns"]["values"]}), "other numbers"),
        (
            lambda h: h["columns"].update({"setting.row": h["columns"]["tensor.shape"]}),
            "incomplete",
        ),
    ],
)
def test_each_field_of_a_recording_has_its_type_and_a_bound(change, why):
    with pytest.raises(ReplayMismatch, match=why):
        verified(with_header(change))
