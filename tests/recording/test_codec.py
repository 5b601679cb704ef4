"""A recording survives the way to bytes and back, and bad bytes say what is wrong with them."""

import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapelab as tf
from tapelab.errors import RecordingError
from tapelab.recording import from_bytes, narrow_columns, to_bytes
from tapelab.recording.codec import MAGIC
from tapelab.recording.events import Watched
from tests.fixtures.record import record


@pytest.fixture
def recording():
    x = tf.Variable([1.0, 2.0], name="x")
    with tf.GradientTape() as tape:
        y = x * x + 1.0
    return tape.recording(y)


def header_of(data):
    _, _, length = struct.unpack_from("<8sII", data)
    return json.loads(data[16 : 16 + length])


def test_bytes_bring_the_same_recording_back(recording):
    assert from_bytes(to_bytes(recording)) == recording


def test_a_memoryview_is_as_good_as_bytes(recording):
    assert from_bytes(memoryview(to_bytes(recording))) == recording


def test_columns_start_at_multiples_of_eight(recording):
    data = to_bytes(recording)
    _, _, header = struct.unpack_from("<8sII", data)
    assert (16 + header) % 8 == 0


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(width=32, allow_nan=True), min_size=1, max_size=9))
def test_numbers_survive_exactly_also_nan_and_infinities(numbers):
    x = tf.constant(numbers)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    again = from_bytes(to_bytes(tape.recording(y)))
    watched = next(each.event for each in again if isinstance(each.event, Watched))
    kept = again.tensor(watched.tensor).value
    np.testing.assert_array_equal(kept, np.array(numbers, np.float32))


@pytest.mark.parametrize(
    ("column", "numbers", "kept"),
    [
        ("event.fields", [-128, 127], "i32:i8"),
        ("event.fields", [0, 255], "i32:u8"),
        ("event.fields", [-1, 255], "i32:i16"),
        ("event.fields", [-32768, 32767], "i32:i16"),
        ("event.fields", [-1, 32768], "i32"),
        ("event.kind", [0, 255], "u8"),
        ("values", [0.5, -0.0, np.inf, np.nan], "f64:f32"),
        ("values", [0.1], "f64"),
        ("values", [1e39], "f64"),
        ("values", [float(2**24 + 1)], "f64"),
    ],
)
def test_long_columns_are_kept_narrow_where_every_number_fits(
    recording, monkeypatch, column, numbers, kept
):
    monkeypatch.setattr(narrow_columns, "NARROWED_FROM", 1)
    given = np.array(numbers, recording.columns[column].dtype)
    changed = replace(recording, columns={**recording.columns, column: given})
    data = to_bytes(changed)
    assert header_of(data)["columns"][column][0] == kept
    back = from_bytes(data)
    assert back == changed
    assert back.columns[column].tobytes() == given.tobytes()


TURN = np.array([5, -7, 100_000, 0], np.int32)
STEPS = np.array([1, -3, 40_000, 0], np.int32)


def turns(count, steps):
    """What a loop writes into a column: every turn as much more than the one before."""
    return (TURN + np.arange(count, dtype=np.int32)[:, None] * steps).reshape(-1)


def with_exceptions(column):
    column = column.copy()
    column[[0, 700, -1]] = [2**31 - 1, -(2**31), 9]
    return column


@pytest.mark.parametrize(
    ("numbers", "kept", "more"),
    [
        (np.full(2000, -1, np.int32), "i32:+", [1, 1, 0]),
        (np.arange(2000, dtype=np.int32) * 3, "i32:+", [1, 1, 3]),
        (turns(500, 7), "i32:+", [4, 4, 7]),
        (with_exceptions(turns(500, 7)), "i32:+", None),
        (turns(500, np.minimum(STEPS, 127)), "i32:+i8", None),
        (with_exceptions(turns(500, np.minimum(STEPS, 127))), "i32:+i8", None),
        (turns(500, STEPS), "i32", []),
        (np.repeat(np.array([3, 13, 200], np.uint8), 700), "u8:+", [1, 3, 0]),
        (np.tile(np.array([3, 13, 200], np.uint8), 700), "u8:+", [3, 3, 0]),
        (np.random.default_rng(0).integers(0, 255, 2000, np.uint8), "u8", []),
    ],
    ids=str,
)
def test_a_column_that_a_loop_has_written_is_kept_by_its_steps(recording, numbers, kept, more):
    column = "tensor.role" if numbers.dtype == np.uint8 else "tensor.span"
    changed = replace(recording, columns={**recording.columns, column: numbers})
    form, _, count, *turn = header_of(to_bytes(changed))["columns"][column]
    assert (form, count) == (kept, len(numbers))
    assert more is None or turn == more
    assert from_bytes(to_bytes(changed)).columns[column].tobytes() == numbers.tobytes()


@pytest.mark.parametrize("other", [0, 1])
def test_fields_of_many_events_that_are_alike_are_kept_as_a_table(recording, other):
    def events(number):
        fields = [[3, number, 0, 1, number - 1, number], [7, -1], [*range(40)]]
        return [3, 2, 8], fields if number % 500 == 250 else fields[:1]

    many = [events(number) for number in range(2000)]
    kinds = [kind for kinds, rows in many for kind, _ in zip(kinds, rows, strict=False)]
    rows = [row for _, rows in many for row in rows] + [[1, 2]] * other
    kinds += [2] * other
    columns = {
        **recording.columns,
        "event.kind": np.array(kinds, np.uint8),
        "event.start": np.cumsum([0, *map(len, rows)]).astype("<i4"),
        "event.fields": np.concatenate(rows).astype("<i4"),
    }
    changed = replace(recording, columns=columns)
    layout = header_of(to_bytes(changed))["columns"]
    assert {f"event.fields.3.6.{at}" for at in range(6)} < layout.keys()
    assert layout["event.fields"][2] == 4 * 42 + 2 * other
    back = from_bytes(to_bytes(changed))
    assert back.columns.keys() == columns.keys()
    assert back == changed


def test_short_columns_are_kept_as_they_are(recording):
    assert {kept for kept, *_ in header_of(to_bytes(recording))["columns"].values()} == {
        *("u8", "i32", "f64")
    }


def test_other_files_are_refused_by_their_first_word():
    with pytest.raises(RecordingError, match="not a recording"):
        from_bytes(b"\x89PNG and so on, long enough")


def test_nothing_at_all_is_refused():
    with pytest.raises(RecordingError, match="not a recording"):
        from_bytes(b"")


@pytest.mark.parametrize(("schema", "words"), [(99, "is newer"), (0, "too old")])
def test_another_schema_is_named_with_what_to_do(recording, schema, words):
    data = bytearray(to_bytes(recording))
    data[8:12] = struct.pack("<I", schema)
    with pytest.raises(RecordingError, match=words) as caught:
        from_bytes(data)
    assert str(schema) in str(caught.value)


@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.9, 0.999])
def test_a_file_that_is_cut_short_is_refused(recording, share):
    data = to_bytes(recording)
    with pytest.raises(RecordingError, match=r"cut short|damaged"):
        from_bytes(data[: max(17, int(share * len(data)))])


def test_a_header_that_is_no_json_is_refused():
    with pytest.raises(RecordingError, match="header cannot be read"):
        from_bytes(MAGIC + struct.pack("<II", 1, 8) + b"{broken}")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damage_anywhere_gives_a_recording_or_a_recording_error(data):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    raw = bytearray(to_bytes(tape.recording(y)))
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] = data.draw(st.integers(0, 255))
    try:
        from_bytes(raw)
    except RecordingError:
        return


def test_tapes_that_were_open_inside_are_kept():
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x
        gradient = inner.gradient(y, x)
    recording = outer.recording(gradient)
    [nested] = recording.nested
    kinds = [type(recording.event(at)).__name__ for at in range(nested.opened, nested.closed)]
    assert (nested.name, kinds) == ("inner", ["Watched", "Read", "Ran"])
    assert from_bytes(to_bytes(recording)).nested == recording.nested
    assert inner.recording().nested == ()


def test_a_tape_inside_names_what_it_watches_and_since_when():
    x, w, c = tf.Variable(2.0), tf.Variable(3.0), tf.constant(4.0)
    with tf.GradientTape() as outer:
        y = x * w
        with tf.GradientTape(watch_accessed_variables=False) as inner:
            inner.watch(x)
            z = y * x
            inner.watch(c)
            z = z * c * w
    recording = outer.recording(z)
    [nested] = recording.nested
    watched = [
        (recording.tensor(tensor).name, recording.located[at]) for tensor, at in nested.watched
    ]
    assert [(name, recording.text_at(each.span)) for name, each in watched] == [
        *[("x", "y * x"), ("c", "z * c")],
    ]
    assert from_bytes(to_bytes(recording)).nested == recording.nested


def test_a_span_names_the_function_that_it_stands_in():
    class Dense:
        def call(self, x):
            return tf.tanh(x)

    def halved(x):
        [half] = [part * 0.5 for part in (x,)]
        return half

    with tf.GradientTape() as tape:
        y = halved(Dense().call(tf.Variable(2.0)))
    recording = from_bytes(to_bytes(tape.recording(y)))
    functions = {
        recording.text_at(at): recording.function_at(at) for at in set(recording.event_spans)
    }
    assert functions["tf.tanh(x)"] == "Dense.call"
    assert functions["part * 0.5"] == "halved"


def test_code_of_a_cell_stands_in_no_function():
    recording = record("scene_a")
    assert "span.function" not in recording.columns
    assert recording.function_at(0) == ""
