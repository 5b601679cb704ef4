"""Panels at the other end of a comm, without a kernel and without a thread; and the settings."""

from __future__ import annotations

import time

import pytest

import tapelab as tf
from tapelab.core.gradient_call import observers
from tapelab.lab import preferences
from tapelab.lab.live import history, panel
from tapelab.lab.notebook_cells import RUNNING


class Comm:
    """A comm whose other end may have vanished."""

    def __init__(self, fails=False):
        self.sent, self.fails = [], fails

    def on_msg(self, callback):
        self.say = lambda data: callback({"content": {"data": data}})

    def on_close(self, callback):
        self.close = callback

    def send(self, data, buffers=None):
        if self.fails:
            raise OSError("the socket is gone")
        self.sent.append(data)


@pytest.fixture
def live(ipython):
    """Panels without a thread of their own."""
    made = panel.PanelServer()
    made.scene.history._last_message = float("inf")
    yield made
    made.end()
    preferences.observers.remove(made._changed)
    history.failures.clear()


def welcomed(live, monkeypatch):
    monkeypatch.setattr(panel.threading, "Thread", lambda **_: Comm())
    monkeypatch.setattr(Comm, "start", lambda _: None, raising=False)
    comm = Comm()
    live.welcome(comm, None)
    comm.say({"do": "show"})
    return comm


def test_a_frame_is_sent_only_when_something_changed(live, monkeypatch):
    comm = welcomed(live, monkeypatch)
    live._push(time.monotonic())
    live._push(time.monotonic())
    w = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = w * w
    tape.gradient(y, w)
    live._push(time.monotonic())
    assert [each["is"] for each in comm.sent] == ["hello", "live", "live"]
    assert [each.get("step") for each in comm.sent] == [None, 0, 1]


def test_a_panel_that_cannot_receive_messages_is_forgotten_and_the_rest_goes_on(live, monkeypatch):
    comm = welcomed(live, monkeypatch)
    comm.fails = True
    for _ in range(panel.TRIES):
        with pytest.raises(OSError, match="gone"):
            live._push(time.monotonic())
    assert live.panels == []
    assert observers == []


def test_a_page_that_vanished_gets_no_messages_after_a_while(live, monkeypatch):
    comm = welcomed(live, monkeypatch)
    live._push(time.monotonic() + panel.PATIENCE - 1)
    assert live.panels
    live._push(time.monotonic() + panel.PATIENCE + 1)
    assert live.panels == []
    comm.say({"do": "show"})
    assert len(live.panels) == 1


def test_nobody_is_taken_for_gone_while_the_kernel_is_deaf(live, monkeypatch):
    welcomed(live, monkeypatch)
    RUNNING.start()
    live._push(time.monotonic() + 10 * panel.PATIENCE)
    RUNNING.finish()
    assert live.panels


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"hints": 1}, TypeError, "hints must be True or False, got 1."),
        ({"speed": 100}, ValueError, "speed must be a number from 0.25 to 8, got 100."),
        ({"history": 2.5}, TypeError, "history must be an integer from 1 to 500, got 2.5."),
        ({"color": 1}, TypeError, "There is no setting 'color'. Try one of hints, language"),
    ],
)
def test_wrong_settings_change_nothing(changes, error, message):
    before = tf.settings()
    with pytest.raises(error, match=message.replace(".", r"\.")):
        tf.settings(rate=10.0, **changes)
    assert tf.settings() == before


def test_settings_are_those_of_hints_and_of_language():
    before = tf.settings()
    assert tf.settings(hints=False).hints is tf.hints() is False
    assert tf.settings(hints=before.hints) == before
