"""What is recorded, kept and counted for the panel, without a kernel: in this process."""

from __future__ import annotations

import gc
import math
import time
import weakref

import numpy as np
import pytest

import tapelab as tf
from tapelab.core.gradient_call import observers
from tapelab.lab.live import history, runs, tape_statistics, tape_store
from tapelab.lab.live.history import History


def ask(variable, persistent=False):
    with tf.GradientTape(persistent=persistent) as tape:
        loss = tf.reduce_sum(variable * variable)
    return tape, tape.gradient(loss, variable)


def test_a_burst_of_steps_is_kept_and_then_some_a_second(active_history):
    w = tf.Variable(1.0)
    for _ in range(400):
        ask(w)
    active_history.measure()
    kept = active_history.run.tapes.steps()
    assert len(kept) == 50
    assert kept[-1] == 400
    assert kept[0] < 60
    assert len(active_history.run.rows) <= 201


def test_the_tape_of_a_step_outlives_the_learners(active_history):
    w = tf.Variable(3.0)
    tape, _ = ask(w)
    kept = active_history.run.tapes.tape(1)
    assert kept is not tape
    assert kept.recording() == tape.recording()


def test_what_is_kept_holds_neither_tapes_nor_variables_nor_large_values(active_history):
    w = tf.Variable(np.ones(5_000, "f4"))
    large = weakref.ref(w)
    tapes = [weakref.ref(ask(w, persistent)[0]) for persistent in (False, True)]
    active_history.measure()
    values = [weakref.ref(w._cell.state._value)]
    del w
    gc.collect()
    assert [each() for each in (large, *tapes)] == [None] * 3
    assert [each() for each in values] == [None]


@pytest.mark.slow
def test_a_persistent_tape_with_large_values_can_be_opened_while_it_is_held(active_history):
    w = tf.Variable(np.ones(5_000, "f4"))
    tape, _ = ask(w, persistent=True)
    active_history.measure()
    assert active_history.run.tapes.tape(1).recording() == tape.recording()
    del tape
    gc.collect()
    assert active_history.run.tapes.steps() == []
    assert active_history.run.tapes.tape(1) is None


def test_the_norm_of_a_large_gradient_is_measured_for_the_newest_step(active_history):
    w = tf.Variable(np.full(5_000, 2.0, "f4"))
    for _ in range(3):
        ask(w)
    active_history.measure()
    norms = [norms for _, _, norms, _ in active_history.run.rows]
    assert norms == [[None], [None], [pytest.approx(4 * math.sqrt(5_000))]]


def test_two_losses_of_one_loop_are_two_questions(active_history):
    a, b = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b")
    for _ in range(2):
        ask(a)
        with tf.GradientTape() as tape:
            other = b * 3.0
        tape.gradient(other, b)
    active_history.measure()
    assert [(row[3], row[2]) for row in active_history.run.rows] == [
        *((0, [2.0]), (1, [None, 3.0]), (0, [2.0, None]), (1, [None, 3.0])),
    ]


@pytest.mark.parametrize(
    ("value", "state", "code"),
    [(0.0, "zero", "ZERO"), (float("nan"), "nan", "NAN"), (float("inf"), "nan", "NAN")],
)
def test_gradients_that_look_wrong_are_found_and_found_mended(active_history, value, state, code):
    w = tf.Variable(value, name="w")
    for at in range(2):
        ask(w)
        active_history.measure()
        (finding,) = active_history.run.findings.values()
        assert (finding["code"], finding["now"], finding["step"]) == (code, at == 0, 1)
        w.assign(1.0)
        if at == 0:
            assert active_history.run.tracks[w._cell.identity.id].state == state


def test_the_thirty_third_variable_is_only_counted(active_history):
    many = [tf.Variable(1.0) for _ in range(40)]
    with tf.GradientTape() as tape:
        loss = tf.add_n(many)
    tape.gradient(loss, many)
    active_history.measure()
    assert (len(active_history.run.tracks), len(active_history.run.more)) == (32, 8)
    assert len({track.name for track in active_history.run.tracks.values()}) == 32


def test_recording_a_call_never_raises_into_user_code(active_history, monkeypatch):
    monkeypatch.setattr(active_history, "_write_down", lambda *_: 1 / 0)
    _, gradient = ask(tf.Variable(3.0))
    assert gradient.numpy() == 6.0
    assert isinstance(history.failures.pop(), ZeroDivisionError)


def test_a_last_tape_that_went_before_a_history_was_active_is_missed_until_the_next_call():
    x = tf.Variable(1.0)
    ask(x)
    late = History()
    try:
        late.listen(3, 20.0)
        assert late.missed
        ask(x)
        assert not late.missed
    finally:
        late.stop()


def test_a_stopped_history_observes_no_calls(active_history):
    active_history.stop()
    assert active_history.record not in observers


def test_sparse_gradients_and_complex_ones_have_norms():
    rows = tf.IndexedSlices(tf.constant([[3.0], [4.0]]), tf.constant([0, 2]), tf.constant([5, 1]))
    assert tape_statistics.norm(rows) == 5.0
    assert tape_statistics.norm(tf.constant(3 + 4j)) == 5.0
    assert tape_statistics.norm(tf.constant([60000.0], tf.float16)) == 60_000.0
    assert tape_statistics.norm(None) is None


def test_numbers_that_json_cannot_carry_go_as_words():
    carried = [tape_statistics.carried(each) for each in (1.5, math.nan, math.inf, -math.inf, None)]
    assert carried == [1.5, "nan", "inf", "-inf", None]


def test_a_long_tape_is_counted_look_by_look(monkeypatch):
    monkeypatch.setattr(tape_statistics, "A_LOOK", 40)
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * 1.0
        for _ in range(99):
            y = tf.sin(y)
    meter, counted = tape_statistics.Meter(tape), []
    for _ in range(4):
        meter.look(tape)
        counted.append((meter.ops, meter.exact))
    assert counted[0][1] is False
    assert counted[-1] == (100, True)
    assert sum(held for _, held in meter.parts()) == meter.bytes == 102 * 4


def test_a_tape_that_is_entered_again_is_counted_on():
    x = tf.Variable(1.0)
    tape = tf.GradientTape(persistent=True)
    with tape:
        y = x * x
    meter = tape_statistics.Meter(tape)
    meter.look(tape)
    with tape:
        _ = y * x
    meter.look(tape)
    assert meter.ops == 2
    assert meter.is_of(tape)


def test_the_oldest_tapes_make_room(monkeypatch):
    monkeypatch.setattr(tape_store, "MOST_BYTES", 10 * tape_store.A_RECORD)
    kept, tape = tape_store.TapeStore(), ask(tf.Variable(1.0))[0]
    for step in range(1, 6):
        kept.put(step, tape_store.KeptTape(tape, tape._gradient_calls[0]), 100)
    assert 0 < len(kept.steps()) < 5
    assert kept.steps()[-1] == 5


def test_a_pinned_tape_outlives_newer_ones_while_there_is_room(monkeypatch):
    monkeypatch.setattr(tape_store, "MOST_PINNED", 2)
    kept, tape = tape_store.TapeStore(), ask(tf.Variable(1.0))[0]
    for step in range(1, 9):
        kept.put(step, tape_store.KeptTape(tape, tape._gradient_calls[0]), 3)
        if step in (2, 3, 4):
            kept.pin(step)
    assert kept.steps() == [2, 3, 8]


def test_an_allowance_is_spent_and_comes_back(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    allowance = tape_store.RateLimit(3, 2.0)
    assert [allowance.take() for _ in range(4)] == [1, 1, 1, 0]
    now[0] = 1.0
    assert allowance.take(5) == 2


@pytest.mark.parametrize(("many", "most"), [(0, 5), (5, 5), (6, 5), (1000, 7)])
def test_thinned_things_keep_the_last(many, most):
    found = runs.thinned(range(many), most)
    assert len(found) <= most
    assert found[-1:] == list(range(many))[-1:]


def test_the_bytes_of_a_model_are_counted_by_its_parts():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(4, name="in"), tf.keras.layers.Dense(2, name="out")]
    )
    model(tf.ones((3, 5)))
    with tf.GradientTape() as tape:
        tf.nn.softmax(model(tf.ones((3, 5))))
    meter = tape_statistics.Meter(tape)
    meter.look(tape)
    assert [part for part, _ in meter.parts()] == ["in", "out", "softmax"]


def test_the_epochs_of_fit_are_noted_and_those_of_other_loops_are_none(
    active_history,
):
    w = tf.Variable(1.0, name="w")
    ask(w)
    assert active_history.run.epochs == []
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    data = tf.ones([6, 2])
    before = active_history.run.step
    model.fit(data, data[:, :1], batch_size=2, epochs=2, verbose=0)
    run = active_history.run
    first = before + 1 if run.step == before + 6 else 1
    assert run.epochs == [first, first + 3]
    ask(w)
    assert run.epochs == [first, first + 3]
