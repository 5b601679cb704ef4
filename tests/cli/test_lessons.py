"""`tapelab lessons` lists and copies, `tapelab lab` opens; both say clearly what they cannot do."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
from contextvars import copy_context

import pytest

from tapelab.cli.lesson_commands import Points, points_in
from tapelab.exercises.registry import LESSONS
from tapelab.installation import extra_command
from tapelab.lab import launcher
from tapelab.lab.lesson_folder import START_PAGE, lessons, shipped_folder
from tapelab.views.card import DATA


def test_lessons_lists_every_title_with_its_time(tapelab):
    output = tapelab("lessons").stdout
    for lesson in lessons(shipped_folder()):
        number, _, title = lesson.title.partition(" · ")
        assert re.search(rf"{number} +{re.escape(title)} +{lesson.minutes} min", output)
    assert lesson.minutes > 0


def test_lessons_are_copied_and_what_was_added_is_reported(tapelab, tmp_path):
    output = tapelab("lessons", "--copy", "mine").stdout
    assert output.startswith(f"Added to {tmp_path / 'mine'}: {START_PAGE}")
    assert (tmp_path / "mine" / START_PAGE).is_file()


def test_the_copies_of_a_learner_are_kept(main, tmp_path):
    lesson = lessons(shipped_folder())[0]
    (tmp_path / lesson.name).write_text("my work")
    output = main("lessons", "--copy", tmp_path).stdout
    assert f"Kept as you left them: {lesson.name}." in output
    assert (tmp_path / lesson.name).read_text() == "my work"


def test_lessons_are_copied_and_listed_in_a_language(tapelab, main, monkeypatch, tmp_path):
    output = tapelab("lessons", "--copy", "mine", "--language", "zh_CN").stdout
    assert output.startswith(f"已加入 {tmp_path / 'mine'}：{START_PAGE}")
    assert "第一条磁带" in (tmp_path / "mine" / "02-the-first-tape.ipynb").read_text()
    monkeypatch.setenv("TAPELAB_LANGUAGE", "zh-CN")
    assert "第一条磁带" in main("lessons").stdout


def test_a_language_without_lessons_is_reported_with_those_that_have_them(main):
    output = main("lessons", "--copy", "mine", "--language", "xx", code=2).stderr
    assert output == "tapelab: There are no lessons in 'xx'. There are: en, he, zh_CN.\n"


def test_a_folder_that_cannot_be_written_ends_in_one_sentence(main, tmp_path):
    (tmp_path / "file").write_text("")
    output = main("lessons", "--copy", "file/mine", code=2).stderr
    assert output.startswith("tapelab: The lessons cannot be copied to ")


def test_a_folder_that_is_not_there_is_reported_with_how_to_fill_it(main):
    assert main("lessons", "nowhere", code=2).stderr == (
        "tapelab: There is no folder nowhere. To put the lessons there: "
        "tapelab lessons --copy nowhere\n"
    )


def notebook(*verdicts):
    cells = [{"outputs": [{"data": {DATA: each}}, {"text": "said"}]} for each in verdicts]
    return json.dumps({"cells": [{"source": "text"}, *cells]})


def verdict(exercise, points):
    return {"exercise": exercise.id, "lesson": exercise.lesson, "points": points, "of": 99}


def test_points_are_those_of_the_last_verdict_of_each_exercise(main, tmp_path):
    lesson = lessons(shipped_folder())[0]
    first, second, *_ = LESSONS[lesson.name[:2]]
    worth = sum(each.points for each in LESSONS[lesson.name[:2]])
    file = tmp_path / lesson.name
    file.write_text(notebook(verdict(first, 1), verdict(second, 2), verdict(first, 0)))
    assert points_in(file) == Points(2, worth)
    assert f"2 of {worth}" in main("lessons", tmp_path).stdout


@pytest.mark.parametrize("text", ["", "{}", "[]", notebook(), notebook({"exercise": "99.1"})])
def test_a_notebook_without_verdicts_has_no_points(tmp_path, text):
    (tmp_path / "a.ipynb").write_text(text)
    assert points_in(tmp_path / "a.ipynb") is None
    assert points_in(tmp_path / "nowhere.ipynb") is None


@pytest.mark.parametrize("port", [-1, 0, 65536, 99999])
def test_a_number_that_is_no_port_is_reported_the_range(main, tmp_path, port):
    output = main("lab", tmp_path, "--port", port, code=2).stderr
    assert output == f"tapelab: {port} is no port: ports go from 1 to 65535. Try --port 8888.\n"


def test_a_port_in_use_is_reported_before_anything_starts(tapelab, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        output = tapelab("lab", tmp_path / "mine", "--port", port, code=2)
    assert output.stderr == (
        f"tapelab: Port {port} cannot be used: Address already in use. "
        "Leave --port out, and the first free port from 8888 on is taken.\n"
    )


def test_a_missing_jupyterlab_is_reported_with_the_command_that_installs_it(monkeypatch, tmp_path):
    monkeypatch.setattr(launcher.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(launcher.LaunchError, match=re.escape(extra_command("lab"))):
        launcher.become_jupyterlab(tmp_path, START_PAGE, port=None, browser=False)


@pytest.mark.parametrize("name", ["02", "2", "02-the-first-tape", "02-the-first-tape.ipynb"])
def test_a_lesson_is_opened_by_its_number_or_its_name(monkeypatch, tmp_path, main, name):
    started = []
    monkeypatch.setattr(
        launcher.os, "execv", lambda _, command: started.extend(command) or sys.exit(0)
    )
    main("lab", tmp_path, "--lesson", name, "--no-browser")
    assert "--LabApp.default_url=/lab/tree/02-the-first-tape.ipynb" in started


def test_jupyterlab_is_started_with_the_language_and_lessons_in_it(main, monkeypatch, tmp_path):
    monkeypatch.setenv("TAPELAB_LANGUAGE", "")
    monkeypatch.setattr(launcher.os, "execv", lambda *_: sys.exit(0))
    copy_context().run(main, "lab", tmp_path, "--language", "he", "--no-browser")
    assert os.environ["TAPELAB_LANGUAGE"] == "he"
    assert "הסרט הראשון" in (tmp_path / "02-the-first-tape.ipynb").read_text()


def test_a_lesson_that_is_not_there_is_reported_with_those_that_are(main, tmp_path):
    output = main("lab", "mine", "--lesson", "99", code=2).stderr
    assert output.startswith("tapelab: There is no lesson '99'. There are: 00-tensors-and-")
    assert not (tmp_path / "mine").exists()


def test_jupyterlab_opens_on_the_start_page_of_the_folder(tmp_path):
    command = launcher.jupyterlab_command(tmp_path, START_PAGE, port=None, browser=False)
    assert "--LabApp.default_url=/lab/tree/Start%20here.ipynb" in command
    assert f"--ServerApp.root_dir={tmp_path}" in command
    assert "--ServerApp.open_browser=False" in command


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_without_a_display_no_browser_is_opened(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    assert not launcher.has_browser()
