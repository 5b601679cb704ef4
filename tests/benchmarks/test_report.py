"""A run of the benchmarks: who takes turns with whom, and what is written of it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from benchmarks import measure, report, run
from benchmarks.processes import FailedError, Process
from benchmarks.progress import Progress
from benchmarks.results import Results, earlier
from benchmarks.task import Task
from benchmarks.works import BY_NAME, WORKS


@pytest.fixture
def results():
    found = Results()
    found.expect(["softmax", "chain_long"], ["tapelab", "tapelab_function", "pytorch"], ["jax_jit"])
    found.measured["softmax"] = {
        "tapelab": [0.001, 0.002],
        "tapelab_function": [],
        "pytorch": [0.004, 0.002],
    }
    found.measured["chain_long"]["tapelab_function"] = [0.75]
    found.failed["pytorch at tape"] = "out of memory"
    return found


def test_the_report_has_rows_goals_ratios_and_names_who_is_missing(results, tmp_path, capsys):
    report.write(tmp_path, results)
    text = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out == text + "\n"
    assert "Left out, as not installed: JAX jit." in text
    assert "Failed: pytorch at tape: out of memory" in text
    (row,) = [line for line in text.splitlines() if line.startswith("| softmax") and "≤" in line]
    assert row.split(" | ")[2:5] == ["1.5", "–", "3"]
    assert "met: 0.62 of it (0.25–1.00)" in row
    assert "1 of 2 goals met." in text
    assert "missed: compiling 10 000 ops: 1.50 times what the goal allows" in text
    assert "| 1 / 2.5 / 4 |" in text


def test_the_results_can_be_read_again_and_hold_no_path(results, tmp_path):
    report.write(tmp_path, results)
    again = earlier(tmp_path)
    assert (again.measured, again.failed, again.absent) == (
        results.measured, results.failed, results.absent,
    )  # fmt: skip
    for name in ("results.md", "results.json", "results.svg"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert str(Path.home()) not in text
        assert str(Path(__file__).parents[2]) not in text
    assert json.loads((tmp_path / "results.json").read_text())["goals"]["softmax"][0]["met"]


def test_the_contenders_take_turns_in_another_order_each_round():
    works = [BY_NAME[name] for name in ("softmax", "tape_bytes", "tape_seconds")]
    assert list(run._turns(2, works, ["a", "b"])) == [
        (0, "softmax", "a"), (0, "softmax", "b"), (0, "tape", "a"), (0, "tape", "b"),
        (1, "softmax", "b"), (1, "softmax", "a"), (1, "tape", "b"), (1, "tape", "a"),
    ]  # fmt: skip


def test_a_failing_contender_is_named_and_not_measured_again(monkeypatch):
    calls = []

    def fails(self, task, name):
        calls.append(name)
        raise FailedError("no more memory")

    monkeypatch.setattr(run.Rounds, "_measure", fails)
    results = Results()
    rounds = run.Rounds(results)
    for number in range(2):
        rounds.take((number, "softmax", "pytorch"))
    assert (results.failed, calls) == ({"pytorch at softmax": "no more memory"}, ["pytorch"])


def test_a_task_of_several_numbers_serves_several_works(monkeypatch):
    found = {"tape_bytes": 100.0, "tape_seconds": 1.5, "tape_growth": 1.0}
    monkeypatch.setattr(run.Rounds, "_measure", lambda self, task, name: found)
    results = Results()
    results.expect(["tape_bytes", "tape_seconds"], ["tapelab"], [])
    run.Rounds(results).take((0, "tape", "tapelab"))
    assert results.measured == {"tape_bytes": {"tapelab": [100.0]},
                                "tape_seconds": {"tapelab": [1.5]}}  # fmt: skip


def test_progress_prints_a_line_for_each_task_without_a_terminal():
    out = io.StringIO()
    with Progress(3, out) as progress:
        for turn in ((0, "softmax", "a"), (0, "softmax", "b"), (0, "tape", "a")):
            progress.announce(*turn)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("  0% · round 1 · softmax")
    assert lines[1] == " 66% · round 1 · 1e6-op tape"
    assert lines[-1].startswith("3 turns in 0.0 minutes")


def test_the_shortest_block_counts_and_preparing_does_not():
    time = iter(range(0, 10_000, 7))
    seen = []
    task = Task(seen.append, lambda: "prepared", units=7)
    assert measure.seconds_per_unit(task, lambda: next(time)) == 1.0
    assert set(seen) == {"prepared"}


def test_every_work_is_known_to_tapelab():
    from benchmarks.contenders import numpy_by_hand, tapelab, tapelab_function

    known = {*tapelab.TASKS, *tapelab_function.TASKS, *numpy_by_hand.TASKS}
    assert {work.task or work.name for work in WORKS} == known


@pytest.mark.slow
def test_a_contender_answers_from_a_process_of_its_own():
    with Process("numpy_by_hand") as process:
        assert process.ask("record_scalar") > 0
        assert process.ask("tape") is None
    with pytest.raises(FailedError, match="No module named"):
        Process("nobody")


@pytest.mark.parametrize(("name", "rounds"), [("pytorch", 1), ("tapelab", 2)])
def test_what_takes_another_long_is_measured_once(monkeypatch, name, rounds):
    class Slow:
        def __init__(self, name):
            self.name = name

        def ask(self, task):
            return 1.0

        def close(self):
            pass

    monkeypatch.setattr(run, "Process", Slow)
    monkeypatch.setattr(run, "LONG", -1.0)
    results = Results()
    results.expect(["softmax"], [name], [])
    measured = run.Rounds(results)
    for number in range(2):
        measured.take((number, "softmax", name))
    assert results.measured["softmax"][name] == [1.0] * rounds
