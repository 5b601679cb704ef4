"""`tapelab show` and `tapelab export`: what becomes of a `.tape` file, and of what is none."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import sys
from pathlib import Path

import pytest

from tapelab.recording import atomic_write
from tests.fixtures.record import FOLDER


def test_text_is_what_show_prints_in_python(tapelab, tape):
    output = tapelab("show", tape, "--text").stdout
    assert "backward pass" in output
    assert "Write instead:" in output


def test_without_a_browser_the_page_is_written_and_its_place_is_reported(tapelab, tape, tmp_path):
    place, said = tapelab("show", tape, TMPDIR=str(tmp_path)).stdout.splitlines()
    assert Path(place).parent.parent == tmp_path
    assert Path(place).read_text("utf-8").startswith("<!doctype html>")
    assert said == "Open this page in any browser."


@pytest.mark.skipif(sys.platform == "win32", reason="BROWSER names a program of a shell")
def test_a_browser_is_given_the_address_of_the_page(tapelab, tape, tmp_path):
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/seen\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    output = tapelab("show", tape, "-o", "page.html", BROWSER=str(program))
    assert output.stdout == "Opened page.html\n"
    assert (tmp_path / "seen").read_text() == f"{(tmp_path / 'page.html').as_uri()}\n"


def test_a_page_begins_at_the_requested_step(tapelab, tape, tmp_path):
    tapelab("show", tape, "--step", 3, "-o", "page", "--no-browser")
    assert 'data-step="3"' in (tmp_path / "page.html").read_text("utf-8")


def test_a_step_that_is_not_there_is_reported_with_those_that_are(main, tape):
    output = main("show", tape, "--step", 99, code=2)
    assert output.stderr.startswith(f"tapelab: {tape} has no step 99: its steps go from 1 to ")


def test_the_language_is_that_of_the_option(tapelab, tape):
    assert "改写成" in tapelab("show", tape, "--text", "--language", "zh-CN").stdout


def test_a_recording_is_converted_to_every_form_at_once(tapelab, tape, tmp_path):
    begins = {
        "html": b"<!doctype",
        "svg": b"<svg",
        "png": b"\x89PNG",
        "pdf": b"%PDF",
        "dot": b"digraph",
        "json": b"{",
    }
    outputs = [part for form in begins for part in ("-o", f"z.{form}")]
    output = tapelab("export", tape, *outputs).stdout
    assert output.splitlines() == [f"Wrote z.{form}" for form in begins]
    for form, begin in begins.items():
        assert (tmp_path / f"z.{form}").read_bytes().startswith(begin)
    output = json.loads((tmp_path / "z.json").read_text("utf-8"))
    assert output["explanation"]["findings"][0]["code"] == "LEFT_ENGINE"


def test_a_form_that_is_not_known_is_reported_with_those_that_are(main, tape, tmp_path):
    output = main("export", tape, "-o", "a.svg", "-o", "z.jpg", code=2)
    start, _, endings = output.stderr.partition(" Names may end in ")
    assert start == "tapelab: z.jpg does not say a form that is known."
    assert {".html", ".svg", ".png", ".pdf", ".dot", ".json"} <= set(re.findall(r"\.\w+", endings))
    assert not (tmp_path / "a.svg").exists()


def test_what_is_there_is_kept_unless_force_is_used(main, tape, tmp_path):
    (tmp_path / "z.svg").write_text("mine")
    output = main("export", tape, "-o", "z.svg", code=2)
    assert output.stderr == "tapelab: z.svg is there already. Add --force to replace it.\n"
    assert (tmp_path / "z.svg").read_text() == "mine"
    main("export", tape, "-o", "z.svg", "--force")
    assert (tmp_path / "z.svg").read_text("utf-8").startswith("<svg")


def test_the_recording_itself_is_never_the_output(main, tape, tmp_path):
    (tmp_path / "z.svg").symlink_to(tape)
    before = tape.read_bytes()
    output = main("export", tape, "-o", "z.svg", "--force", code=2)
    assert "z.svg is the recording itself." in output.stderr
    assert tape.read_bytes() == before


def test_a_folder_that_is_not_there_is_reported(main, tape):
    output = main("export", tape, "-o", "nowhere/z.svg", code=2)
    assert output.stderr.startswith("tapelab: nowhere/z.svg cannot be written: ")


def test_a_read_only_folder_is_reported(main, tape, tmp_path, monkeypatch):
    def refuse(self, *_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))

    monkeypatch.setattr(atomic_write, "open_new", refuse)  # root may write everywhere
    output = main("show", tape, "-o", "z.html", code=2).stderr
    assert output.startswith(
        "tapelab: z.html cannot be written: Permission denied. Name a file in "
    )
    assert [each.name for each in tmp_path.iterdir()] == ["z.tape"]


def test_a_file_that_is_not_there_is_reported_with_one_that_is_called_alike(main, tape):
    output = main("show", "y.tape", code=2)
    assert output.stderr == "tapelab: There is no file y.tape. Did you mean z.tape?\n"


def test_a_folder_is_reported_with_a_recording_in_it(main, tape, tmp_path):
    output = main("show", ".", code=2)
    assert output.stderr == "tapelab: . is a folder. Name a .tape file in it, such as z.tape.\n"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wrong_magic", "This is not a recording"),
        ("newer", "This recording is newer: made with schema 99"),
        ("older", "This recording is too old"),
        ("cut_short", "This recording is damaged"),
        ("no_bytes", "This is not a recording"),
    ],
)
def test_what_is_no_good_recording_is_refused_in_a_sentence(main, name, said):
    file = FOLDER / "bad" / f"{name}.tape"
    output = main("show", file, "--text", code=2)
    assert output.stdout == ""
    assert output.stderr.startswith(f"tapelab: {file}: {said}")
