"""Schema 2: what a recording knows of another framework's program."""

from __future__ import annotations

import struct

import pytest

from tapelab.recorder.own_recorder import Recorder
from tapelab.recording import events as e
from tapelab.recording import from_bytes, to_bytes
from tapelab.recording.foreign_facts import Alias
from tests.fixtures.record import FOLDER, record


def schema_of(data):
    return struct.unpack_from("<8sI", data)[1]


@pytest.fixture(scope="module")
def foreign():
    return from_bytes((FOLDER / "foreign.tape").read_bytes())


def test_a_recording_of_tapelabs_own_is_written_as_before():
    assert schema_of(to_bytes(record("scene_a"))) == 1


def test_a_recording_of_another_framework_asks_for_a_reader_of_schema_2(foreign):
    data = to_bytes(foreign)
    assert schema_of(data) == 2
    assert from_bytes(data) == foreign


def test_the_sparse_tables_are_read_by_tensor_and_event(foreign):
    low, high = next(
        p.event.outputs
        for p in foreign
        if foreign.function_at(p.span) == ""
        and isinstance(p.event, e.Ran)
        and len(p.event.outputs) == 2
    )
    assert foreign.framework == "PyTorch 2.13.0"
    assert foreign.aliases == {low: Alias(storage=0, version=1)}
    assert foreign.devices == {high: "cuda:0"}
    (library,) = foreign.library_events
    assert foreign.ops[foreign.event(library).op].name == "multiply"
    ((flowed, upstreams),) = foreign.further_upstreams.items()
    assert foreign.event(flowed).upstream not in upstreams
    assert [foreign.tensor(each).value for each in upstreams] == [1.0]


def test_paths_and_compiled_regions_are_kept(foreign):
    assert [each.path for each in foreign.variables] == ["layers.0.weight"]
    assert [(each.kind, each.path) for each in foreign.groups] == [
        ("module", "layers.0"),
        ("compiled", ""),
    ]


def test_accumulation_says_what_a_leaf_kept_before_and_after(foreign):
    kept = [place.event for place in foreign.placed(e.Accumulated)]
    assert [each.call for each in kept] == [0, -1]
    assert kept[0].before == -1
    assert kept[1].after == -1
    assert foreign.tensor(kept[0].after).value.tolist() == [8.0, 4.0]


def test_a_recording_of_tapelabs_own_has_none_of_it():
    own = record("scene_a")
    assert not own.framework
    assert not own.aliases
    assert not own.devices
    assert not own.library_events
    assert not own.further_upstreams


def test_a_gradient_call_that_failed_names_the_op_and_the_event_that_overwrote_its_value():
    recorder = Recorder("an engine 1.0", framework="Engine 1.0")
    x = recorder.variable(2.0)
    y = recorder.op("exp", [x], 7.4)
    written = recorder.op("add", [y], 8.4)
    recorder.backward(written, [x])
    recorder.failed(y, written)
    recording = from_bytes(to_bytes(recorder.recording()))
    ((call, failure),) = recording.failures.items()
    assert isinstance(recording.event(call), e.Asked)
    names = [recording.ops[recording.event(at).op].name for at in failure]
    assert names == ["exp", "add"]
