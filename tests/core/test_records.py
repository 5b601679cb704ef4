"""Records are written and read by name: what is written under a name is found under it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tapelab as tf
from tapelab.core import records as r
from tapelab.core.log import recent

WRITERS = {
    r.OpRun: r.write_op_run,
    r.VariableRead: r.write_read,
    r.Assignment: r.write_assignment,
    r.Exit: r.write_exit,
    r.Reentry: r.write_reentry,
    r.Creation: r.write_creation,
    r.Watch: r.write_watch,
    r.GradientResult: r.write_gradient_result,
    r.TapedCall: r.write_taped_call,
}
TAPE_EVENTS = (r.TapeOpened, r.TapeClosed, r.TapePaused, r.TapeResumed, r.TapeReset)
FORMS = (*WRITERS, *TAPE_EVENTS, r.BinaryOpRun, r.UnaryOpRun, r.ProgramCall)


@pytest.mark.parametrize("form", WRITERS, ids=lambda form: form.__name__)
def test_what_is_written_under_a_name_is_read_under_it(form):
    state = {"records": [], "number": 3}
    values = {name: object() for name in form._fields[4:]}
    WRITERS[form](state, 7, "here", **values)
    (record,) = state["records"]
    seen = r.view(form, record)
    assert type(seen) is form
    assert (seen.kind, seen.serial, seen.thread, seen.origin) == (form, 7, 3, "here")
    assert all(getattr(seen, name) is value for name, value in values.items())
    heads = r.kind_of(record), r.serial_of(record), r.thread_of(record), r.origin_of(record)
    assert heads == (form, 7, 3, "here")


@pytest.mark.parametrize("kind", TAPE_EVENTS, ids=lambda kind: kind.__name__)
def test_a_record_of_a_tape_event_has_the_serial_of_the_tape(kind):
    state = {"records": [], "number": 3}
    assert r.write_tape_event(state, 7, "here", kind, tape=5) == 7
    event = r.named(state["records"][0])
    assert isinstance(event, r.TapeEvent)
    assert (type(event), event.tape) == (kind, 5)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_generated_code_writes_and_unpacks_a_record_by_name(form):
    names = form._fields[1:]
    values = dict(zip(names, itertools.count(10), strict=False))
    source = r.record_source(form, **{name: str(value) for name, value in values.items()})
    unpacked: dict[str, object] = {}
    exec(f"{r.fields_source(form, names[-1], names[0])} = {source}", vars(r).copy(), unpacked)
    assert unpacked == {"_": unpacked["_"], names[0]: 10, names[-1]: values[names[-1]]}
    assert r.view(form, eval(source, vars(r))) == (form, *values.values())


def test_generated_code_cannot_leave_a_field_out_or_name_one_that_is_none():
    with pytest.raises(TypeError, match="TapeOpened needs serial, thread, origin, tape"):
        r.record_source(r.TapeOpened, serial="1", thread="2", origin="3")
    with pytest.raises(TypeError, match="TapeOpened has no value"):
        r.fields_source(r.TapeOpened, "tape", "value")


def test_flattened_and_general_runs_of_ops_have_one_form():
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    recent.clear()
    z, t, total = x * y, tf.tanh(x), tf.reduce_sum(x, axis=0)
    assert [r.kind_of(each) for each in recent] == [r.BinaryOpRun, r.UnaryOpRun, r.OpRun]
    product, tangent, summed = map(r.as_op_run, recent)
    assert (product.op.name, product.input_ids, product.inputs[1] is y._value) == (
        "multiply", (x._id, y._id), True,
    )  # fmt: skip
    assert (tangent.op.name, tangent.input_ids, tangent.settings) == ("tanh", (x._id,), {})
    assert product.result_pairs == ((z._id, z._value),)
    assert [run.serial for run in (product, tangent, summed)] == [z._id, t._id, total._id]
    assert summed.result_pairs == ((total._id, total._value),)


def test_an_op_with_several_results_has_a_pair_for_each():
    x = tf.constant([[2.0, 0.0], [0.0, 3.0]])
    recent.clear()
    values, vectors = tf.linalg.eigh(x)
    (run,) = (each for each in map(r.as_op_run, recent) if each.kind is r.OpRun)
    assert [number for number, _ in run.result_pairs] == [values._id, vectors._id]
    np.testing.assert_array_equal(run.result_pairs[0][1], [2.0, 3.0])


def test_a_field_is_replaced_by_name():
    state = {"records": [], "number": 3}
    r.write_exit(state, 7, "here", tensor=1, how="numpy()", result=None)
    exit = r.named(state["records"][0])
    assert exit._replace(how="float()", tensor=2) == (r.Exit, 7, 3, "here", 2, "float()", None)
    with pytest.raises(TypeError, match="Exit has no value"):
        exit._replace(value=0)
