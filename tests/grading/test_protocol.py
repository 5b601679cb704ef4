"""What travels between worker and judge arrives as it was; what was tampered with is refused."""

import io
import json

import numpy as np
import pytest

from tapelab.exercises.figure_data import Axes, Plot, Series
from tapelab.exercises.values import Numbers, Picture, Prediction, Strange, fingerprint
from tapelab.grading.protocol import (
    MAGIC,
    FrameTooLongError,
    Payload,
    ProtocolError,
    encode_frame,
    read_frame,
)

NUMBERS = Numbers(np.arange(6.0).reshape(2, 3), "an array", "float64")
VALUES = [
    None, ..., "text é", NUMBERS, Strange("a Foo"), [NUMBERS, ["x"]], (NUMBERS, None),
    {"a": NUMBERS, 3: "x"}, Numbers(np.array("word"), "a tensor", "string"),
    Numbers(np.empty((0, 3)), "an array", "float64"),
    Numbers(np.asfortranarray(np.eye(3)), "an array", "float64"),
    Picture((Prediction(1, "backward", "number", "x", "2", "2", True),)),
]  # fmt: skip


def _arrived(value):
    payload = Payload()
    content = io.BytesIO(encode_frame({"value": payload.put(value)}, payload))
    header, received = read_frame(content.read, 1 << 20)
    return received.take(header["value"])


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_arrives_as_it_was(value):
    assert fingerprint(_arrived(value)) == fingerprint(value)


def test_a_plot_arrives_as_it_was():
    series = Series("line", np.arange(3.0), np.arange(3.0) ** 2, "squares")
    plot = Plot((Axes("title", "x", "y", series=(series,), images=(np.eye(2),), legend=("a",)),))
    [axes] = _arrived(plot).axes
    assert (axes.title, axes.series[0].label, axes.legend) == ("title", "squares", ("a",))
    assert axes.series[0].y.tolist() == [0.0, 1.0, 4.0]


def test_numbers_arrive_in_the_byte_order_of_this_machine():
    other = Numbers(np.arange(3, dtype=">i4"), "an array", "int32")
    assert _arrived(other).array.dtype == np.dtype("int32")
    assert _arrived(other).array.tolist() == [0, 1, 2]


@pytest.mark.parametrize("value", [np.arange(3), object(), 3.0, {1.5: "x"}, [object()]])
def test_what_is_no_plain_value_is_not_sent(value):
    with pytest.raises(ProtocolError):
        Payload().put(value)


def test_an_array_of_objects_is_neither_sent_nor_read():
    with pytest.raises(ProtocolError, match="not plain"):
        Payload().put(Numbers(np.array([object()]), "an array", "object"))
    file = io.BytesIO()
    np.save(file, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(ProtocolError):
        Payload([file.getvalue()]).take({"numbers": [0, "an array", "object"]})


@pytest.mark.parametrize(
    "message",
    [
        {"numbers": [0, "a", "b"]}, {"numbers": [-1, "a", "b"]}, {"numbers": 3}, {"unknown": 1},
        {"list": 3}, {"dict": [1, 2]}, {"dict": [[[], None]]}, {"picture": [{"step": 1}]},
        {"plot": [[]]}, {"strange": "x" * 10_000}, {"a": 1, "b": 2}, 3, 3.5, True, [None],
    ],
)  # fmt: skip
def test_what_was_not_agreed_is_refused(message):
    with pytest.raises(ProtocolError):
        Payload().take(message)


def test_a_value_nested_too_deeply_is_refused_at_both_ends():
    value, message = [], {"list": []}
    for _ in range(100):
        value, message = [value], {"list": [message]}
    with pytest.raises(ProtocolError):
        Payload().put(value)
    with pytest.raises(ProtocolError):
        Payload().take(message)


@pytest.mark.parametrize(
    "shape", [(4611686018427387905, 4), (-1, -2), (3,), (1 << 62, 1 << 62), (True,)]
)
def test_an_array_of_another_size_than_it_says_is_refused(shape):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    with pytest.raises(ProtocolError):
        Payload([file.getvalue() + bytes(16)]).take({"numbers": [0, "an array", "float64"]})


@pytest.mark.parametrize(
    "frame",
    [
        b"no frame at all, just text", MAGIC + bytes(7) + b"\1", MAGIC + b"\2\0\0\0\0\0\0\0[]",
        MAGIC + b"\2\0\0\0\0\0\0\0" + b"{}", MAGIC + b"\2\0\0\0\0\0\0\0" + b"\xff\xff",
    ],
)  # fmt: skip
def test_a_frame_in_another_form_is_refused(frame):
    with pytest.raises(ProtocolError):
        read_frame(io.BytesIO(frame).read, 100)


def test_a_frame_that_promises_too_much_is_refused_before_it_is_read():
    frame = io.BytesIO(encode_frame({}, Payload([bytes(101)])))
    with pytest.raises(FrameTooLongError):
        read_frame(frame.read, 100)
    assert frame.tell() < 20


def test_buffers_of_other_lengths_than_reported_are_refused():
    header = json.dumps({"buffers": [1, 1]}).encode()
    frame = MAGIC + len(header).to_bytes(4, "little") + (3).to_bytes(4, "little") + header + b"abc"
    with pytest.raises(ProtocolError, match="other sizes"):
        read_frame(io.BytesIO(frame).read, 100)
