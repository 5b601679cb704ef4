"""The Tape panel's end of the comm, in a real kernel with real sockets."""

from __future__ import annotations

import math

import pytest

from tapelab.recording import from_bytes

SETUP = """
w = tf.Variable(2.0, name="w")
idle = tf.Variable([1.0, 1.0], name="idle")
"""
LOOP = """
for _ in range({steps}):
    with tf.GradientTape() as tape:
        loss = (w * 3.0 - 1.0) ** 2
    dw, none = tape.gradient(loss, [w, idle])
    w.assign_sub(0.01 * dw)
"""
LIVES = "import threading\nlives = [t for t in threading.enumerate() if 'tapelab' in t.name]\n"
ENDED = "for thread in lives:\n    thread.join(60)\n"  # it may still be at its last frame


@pytest.fixture
def trained(kernel):
    """A loop of twelve steps ran in a cell of its own, with fresh variables."""
    kernel.run(SETUP, "setup")
    kernel.run(LOOP.format(steps=12), "loop")
    kernel.frame = kernel.at_rest(12)
    return kernel


def test_it_is_announced_with_the_reply_to_the_cell_that_imports(shared):
    assert shared.announced == [{"source": "tapelab.live", "version": 1}]


def test_nothing_is_imported_before_a_panel_opens(tmp_path, shared):
    shared.run("print('tapelab.lab.live.panel' in sys.modules)")
    assert shared.printed == "False\n"


def test_a_panel_is_greeted_with_versions_and_settings(kernel):
    hello = kernel.messages["comm"][0]
    assert (hello["is"], hello["version"], hello["language"]) == ("hello", 1, "en")
    assert hello["settings"].keys() == {"hints", "language", "speed", "rate", "history"}


def test_every_step_of_a_short_loop_is_sent_once(trained):
    rows = trained.rows()
    assert [row[0] for row in rows] == list(range(1, 13))
    value = 2.0
    for _, loss, (norm, none), question in rows:
        assert math.isclose(loss, (value * 3 - 1) ** 2, rel_tol=1e-5)
        assert math.isclose(norm, abs(6 * (value * 3 - 1)), rel_tol=1e-5)
        assert (none, question) == ("none", 0)
        value -= 0.01 * 6 * (value * 3 - 1)


def test_variables_have_names_values_lines_and_states(trained):
    w, idle = trained.frame["variables"]
    assert (w["name"], w["shape"], w["dtype"], w["state"]) == ("w", [], "float32", "gradient")
    assert (w["line"], w["cell"], w["trainable"]) == (2, "setup", True)
    assert (idle["name"], idle["shape"], idle["value"]) == ("idle", [2], "[1. 1.]")
    assert (idle["state"], idle["norm"]) == ("none", None)


def test_a_gradient_that_is_none_is_found_at_its_gradient_call(trained):
    (finding,) = trained.frame["findings"]
    assert finding["title"] == "dloss/didle is None"
    assert (finding["code"], finding["source"], finding["now"]) == ("NONE", "idle", True)
    assert (finding["line"], finding["cell"], finding["step"]) == (5, "loop", 1)


def test_the_newest_tape_is_counted(trained):
    tape = trained.frame["tape"]
    assert (tape["name"], tape["ops"], tape["recording"], tape["consumed"]) == (
        *("tape", 3, False, True),
    )
    assert tape["bytes"] == sum(held for _, held in tape["parts"]) > 0
    assert trained.frame["lines"] == [["loop", 4]]


def test_each_step_of_a_short_loop_can_be_opened(trained):
    assert trained.frame["kept"] == list(range(1, 13))
    reply = trained.ask({"do": "open", "step": 7}, "recording", "gone", "error")
    recording = from_bytes(reply["buffers"][0])
    assert (reply["is"], reply["step"], reply["cells"]) == ("recording", 7, ["setup", "loop"])
    losses = [row[1] for row in trained.rows() if row[0] == 7]
    (call,) = (each.event for each in recording if type(each.event).__name__ == "Asked")
    assert [recording.tensor(call.targets[0]).value] == pytest.approx(losses)
    assert reply["blank"] == [1, 1]
    assert reply["explanation"]["findings"][0]["code"] == "UNUSED_SOURCE"


def test_the_newest_tape_can_be_opened_without_a_step(trained):
    reply = trained.ask({"do": "open", "step": None}, "recording", "gone", "error")
    assert from_bytes(reply["buffers"][0]).tape.name == "tape"


def test_the_opened_step_runs_again_at_another_value(trained):
    opened = from_bytes(trained.ask({"do": "open", "step": 12}, "recording")["buffers"][0])
    names = [each.name for each in map(opened.tensor, range(len(opened.columns["tensor.role"])))]
    reply = trained.ask({"do": "replay", "values": [[names.index("w"), 3.0]]}, "replay", "error")
    moved = from_bytes(reply["buffers"][0])
    (call,) = (each.event for each in moved if type(each.event).__name__ == "Asked")
    assert moved.tensor(call.targets[0]).value == 64.0
    assert moved.columns["values"].tolist().count(48.0) > 0


@pytest.mark.parametrize("values", [None, 3, [["w", 1.0]], [[1]]])
def test_what_is_no_value_of_a_tensor_is_refused(trained, values):
    trained.ask({"do": "open", "step": 12}, "recording")
    reply = trained.ask({"do": "replay", "values": values}, "replay", "error")
    assert reply["message"].startswith("values are pairs of a tensor and a number")


def test_what_is_no_tensor_of_the_recording_is_an_answer(trained):
    trained.ask({"do": "open", "step": 12}, "recording")
    assert trained.ask({"do": "replay", "values": [[10**6, 1.0]]}, "replay", "error")["error"]


def test_a_step_that_is_not_kept_is_gone(trained):
    assert trained.ask({"do": "open", "step": 99}, "recording", "gone")["is"] == "gone"
    assert trained.ask({"do": "open", "step": 1, "run": 0}, "recording", "gone")["is"] == "gone"


def test_a_step_is_explained_in_full(trained):
    reply = trained.ask({"do": "explain", "step": 12}, "explanation", "error")
    assert reply["explanation"]["findings"][0]["code"] == "UNUSED_SOURCE"
    assert reply["cells"] == ["setup", "loop"]
    assert "`idle` is not used" in reply["explanation"]["findings"][0]["title"]


def test_the_same_cell_goes_on_with_its_run_and_another_begins_one(trained):
    run = trained.frame["run"]
    trained.run(LOOP.format(steps=12), "loop")
    assert trained.at_rest(24)["run"] == run
    trained.run(SETUP + LOOP.format(steps=3), "other")
    assert trained.at_rest(3)["run"] == run + 1
    assert len(trained.live()["variables"]) == 2


def test_frames_arrive_while_the_cell_runs(kernel):
    kernel.run(SETUP, "setup")
    endless = kernel.begin("while True:" + LOOP.format(steps=1).replace("\n", "\n    "), "endless")
    kernel.until(lambda: len([m for m in kernel.messages["comm"] if m.get("running")]) > 5)
    reply = kernel.interrupt(endless)
    assert reply["ename"] == "KeyboardInterrupt"
    frames = [message for message in kernel.messages["comm"] if message.get("running")]
    steps = [frame["step"] for frame in frames]
    assert steps == sorted(steps)
    assert {frame["cell"] for frame in frames[-3:]} == {"endless"}
    assert [m["seq"] for m in kernel.messages["comm"] if m["is"] == "live"][:3] == [1, 2, 3]
    kernel.until(lambda: not kernel.live()["running"])


OPEN = "from tapelab.core.log import thread\nprint(len(thread.tapes), thread.log is None)"


def test_an_interrupted_cell_leaves_no_tape_open_that_it_opened(shared):
    shared.run("held = tf.GradientTape()\nheld.__enter__()")
    shared.run("cut = tf.GradientTape()\ncut.__enter__()\nraise KeyboardInterrupt")
    shared.run(OPEN)
    assert shared.printed.endswith("1 False\n")
    shared.run("held.__exit__()\ncut.__enter__()\nraise KeyboardInterrupt")
    shared.run(OPEN)
    assert shared.printed.endswith("0 True\n")


def test_a_tape_is_seen_while_it_records(kernel, tmp_path):
    go = tmp_path / "go"
    cell = (
        "v = tf.Variable(1.0)\ngo = pathlib.Path(go)\nwith tf.GradientTape() as slow:\n"
        "    y = v * v\n    while not go.exists():\n        time.sleep(0.01)\n    y = y * v"
    )
    kernel.run(f"import pathlib, time\ngo = {str(go)!r}")
    request = kernel.begin(cell, "slow")
    frame = kernel.until(lambda: _open(kernel.live()))
    assert (frame["tape"]["name"], frame["at"], frame["step"]) == ("slow", ["slow", 4], 0)
    assert [(v["name"], v["state"]) for v in frame["variables"]] == [("v", "pending")]
    go.touch()
    kernel.finish(request)
    done = kernel.until(lambda: _closed(kernel.live()))
    assert (done["tape"]["ops"], done["at"]) == (2, None)
    reply = kernel.ask({"do": "explain", "step": None}, "explanation", "error")
    assert reply["message"] == "No gradient was computed from this tape yet."


def _open(frame):
    tape = frame["tape"]
    return frame if tape and tape["recording"] and tape["ops"] == 1 else None


def _closed(frame):
    return frame if frame["tape"] and not frame["tape"]["recording"] else None


def test_hidden_it_costs_no_message_and_no_thread(trained):
    trained.run(LIVES)
    trained.say({"do": "hide"})
    trained.settle()
    trained.run(ENDED)
    before = len(trained.messages["comm"])
    trained.run(LOOP.format(steps=5), "loop")
    trained.run(
        f"{LIVES}print(lives)\nfrom tapelab.core.gradient_call import observers\nprint(observers)"
    )
    assert trained.printed == "[]\n[]\n"
    assert len(trained.messages["comm"]) == before


def test_a_gradient_call_of_a_hidden_panel_is_seen_when_it_is_shown(trained):
    trained.say({"do": "hide"})
    trained.settle()
    trained.run(SETUP + LOOP.format(steps=3), "unseen")
    trained.say({"do": "show"})
    frame = trained.until(lambda: trained.live() if trained.live()["seq"] == 1 else None)
    assert frame["run"] > trained.frame["run"]
    assert (frame["step"], frame["tape"]["name"], frame["kept"]) == (1, "tape", [1])


def test_two_panels_get_the_same_messages_and_close_separately(trained):
    trained.open("second")
    assert trained.live("second")["step"] == 12
    assert [row[0] for row in trained.rows("second")] == list(range(1, 13))
    trained.close("second")
    trained.run(LOOP.format(steps=1), "again")
    assert trained.at_rest(1)


def test_without_panels_there_is_no_thread(shared):
    shared.open()
    shared.run(LIVES + "print([thread.name for thread in lives])")
    assert shared.printed == "['tapelab.live']\n"
    shared.close()
    shared.run(f"{ENDED}{LIVES}print(lives)")
    assert shared.printed == "[]\n"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ({"do": "dance"}, "A Tape panel cannot ask for 'dance'. Try one of show, hide"),
        ({"do": ["show"]}, "A Tape panel cannot ask for ['show']."),
        ({"do": "show", "rate": 1e9}, "rate must be a number from 1 to 30, got 1000000000.0."),
        ({"do": "show", "history": "all"}, "history must be an integer from 1 to 500"),
        ({"do": "set", "settings": {"colour": 1}}, "There is no setting 'colour'. Try one of"),
        ({"do": "set", "settings": 3}, "settings are an object of names and values, not 3."),
        ([1, 2], "A Tape panel cannot ask for None."),
    ],
)
def test_a_wrong_request_is_answered_with_an_error(kernel, command, message):
    assert message in kernel.ask(command, "error")["message"]
    assert kernel.live()


def test_settings_go_both_ways(kernel):
    reply = kernel.ask({"do": "set", "settings": {"hints": False, "speed": 2}}, "settings")
    assert (reply["settings"]["hints"], reply["settings"]["speed"]) == (False, 2)
    kernel.run("print(tf.settings().hints)\ntf.settings(hints=True, speed=1.0)")
    assert kernel.printed == "False\n"
    reply = kernel.until(lambda: [m for m in kernel.messages["comm"] if m["is"] == "settings"][1:])
    assert reply[0]["settings"]["hints"] is True


def test_an_error_in_the_cell_is_the_learners_own(kernel):
    cell = SETUP + LOOP.format(steps=2) + "    if loss < 100:\n        raise ValueError('mine')"
    assert kernel.run(cell, "wrong")["ename"] == "ValueError"
    assert kernel.at_rest(1)["findings"]


def test_gradient_calls_of_other_threads_are_recorded(kernel):
    body = (SETUP + LOOP.format(steps=4)).replace("\n", "\n    ")
    kernel.run(f"import threading\ndef work():{body}\nt = threading.Thread(target=work)")
    kernel.run("t.start(); t.join()", "threads")
    assert kernel.at_rest(4)["target"] == "loss"


def test_trying_out_a_function_while_it_is_traced_is_no_step(kernel):
    kernel.run(SETUP)
    body = LOOP.format(steps=1).replace("for _ in range(1):", "def step():")
    kernel.run(f"@tf.function{body}\nstep()", "traced")
    assert kernel.at_rest(1)["loss"] == 25.0


def test_compiled_steps_are_sent_while_they_run(kernel):
    kernel.run(SETUP)
    body = LOOP.format(steps=1).replace("for _ in range(1):", "def step():")
    kernel.run(f"@tf.function{body}")
    kernel.run("import time\nfor _ in range(300):\n    step()\n    time.sleep(0.002)", "compiled")
    done = kernel.at_rest(300)
    steps, losses = zip(*((row[0], row[1]) for row in kernel.rows()), strict=True)
    assert steps[-1] > 3
    assert all(isinstance(each, float) for each in losses)
    assert done["variables"][0]["norm"] is not None
    assert kernel.ask({"do": "open", "step": steps[-1]}, "recording", "gone")["is"] == "recording"


def test_nothing_went_wrong_behind_the_scenes(kernel):
    kernel.run("from tapelab.lab.live.history import failures\nprint(failures)")
    assert kernel.printed == "[]\n"
