"""`tapelab doctor` finds what is wrong with a host and says how to mend it."""

from __future__ import annotations

import json
import re
import sys
from importlib import metadata

import pytest

from tapelab.cli import doctor_command, packages
from tapelab.cli.checkup import Check, State
from tapelab.cli.doctor_command import VERDICTS
from tapelab.installation import pip_command


def found(look, title) -> Check:
    (check,) = (each for each in look() if each.title == title)
    return check


@pytest.mark.slow
def test_this_host_is_fit_for_the_lessons(tapelab):
    output = tapelab("doctor").stdout
    assert "✓ Python: 3." in output
    assert re.search(r"^✓ jupyterlab: 4\.", output, re.MULTILINE)
    assert output.rstrip().split("\n")[-1] in VERDICTS.values()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_what_is_poor_stands_beside_its_cure(main):
    output = main("doctor").stdout
    assert re.search(r"^! browser: none here.*\n    Try: ", output, re.MULTILINE)
    assert output.rstrip().endswith("missed by a part of them.")


def test_json_says_the_same_to_programs(main):
    read = json.loads(main("doctor", "--json").stdout)
    assert {each["title"] for each in read["checks"]} >= {"Python", "numpy", "port", "lessons"}
    assert all(each["cure"] for each in read["checks"] if each["state"] != "good")


def test_what_is_needed_and_missing_ends_in_1_with_the_command_that_installs_it(main, monkeypatch):
    monkeypatch.setattr(packages, "version_of", lambda name: None if name == "jupyterlab" else "9")
    output = main("doctor", code=1).stdout
    assert f"× jupyterlab: not installed\n    Try: {pip_command()} 'jupyterlab" in output
    assert "Something that is needed is missing" in output


def test_what_only_a_part_misses_is_reported_with_what_is_missed(monkeypatch):
    monkeypatch.setattr(packages, "version_of", lambda name: None)
    check = found(doctor_command.installed, "graphviz")
    assert (check.state, check.found) == (State.POOR, "not installed; no .dot files")


@pytest.mark.parametrize(
    ("version", "state", "said"),
    [
        ("4.1.9", State.MISSING, "4.1.9, not "),
        ("5.0.0", State.MISSING, "5.0.0, not "),
        ("4.2.0", State.GOOD, "4.2.0"),
        ("4.99.0", State.GOOD, "newer than"),
    ],
)
def test_versions_are_held_against_what_was_tested(monkeypatch, version, state, said):
    monkeypatch.setattr(packages, "version_of", lambda name: version)
    check = found(doctor_command.installed, "jupyterlab")
    assert check.state is state
    assert said in check.found


def test_a_cache_that_cannot_be_written_is_reported(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TAPELAB_CACHE_DIR", str(tmp_path / "file" / "cache"))
    check = found(doctor_command.compiling, "cache folder")
    assert check.state is State.POOR
    assert "TAPELAB_CACHE_DIR" in check.cure


def test_a_kernel_of_another_python_is_reported(monkeypatch, tmp_path):
    folder = tmp_path / "kernels" / "python3"
    folder.mkdir(parents=True)
    spec = {"argv": ["/elsewhere/python", "-m", "ipykernel"], "display_name": "", "language": ""}
    (folder / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    check = found(doctor_command.kernel, "kernel python3")
    assert check.state is State.POOR
    assert "ipykernel install" in check.cure


def test_a_language_that_nobody_translated_is_reported_with_those_there_are(monkeypatch):
    monkeypatch.setenv("TAPELAB_LANGUAGE", "xx")
    check = found(doctor_command.surroundings, "language")
    assert check.cure == "Set TAPELAB_LANGUAGE to one of en, he, zh_CN."


def test_missing_bundles_and_extensions_are_reported(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor_command, "STATIC", tmp_path)
    paths = doctor_command.import_module("jupyter_core.paths")
    monkeypatch.setattr(paths, "jupyter_path", lambda *_: [str(tmp_path)])
    checks = list(doctor_command.front_end())
    assert [each.state for each in checks] == [State.MISSING, State.POOR, State.POOR, State.POOR]
    assert all(each.cure.startswith(pip_command("--force-reinstall")) for each in checks)


def test_what_runs_these_tests_is_no_newer_than_what_doctor_calls_tested():
    newer = {
        name: metadata.version(name)
        for name, tested in packages.NEWEST.items()
        if packages.is_newer(metadata.version(name), tested)
    }
    assert newer == {}


@pytest.mark.parametrize(
    ("version", "specifier", "fits"),
    [
        ("4.2", ">=4.2,<5", True),
        ("4.10.1", ">=4.2,<5", True),
        ("5", ">=4.2,<5", False),
        ("0.9.13", ">=0.9.13", True),
        ("0.9.2", ">=0.9.13", False),
        ("8.1.0rc1", ">=8.1", True),
        ("1.0", "", True),
    ],
)
def test_versions_are_compared_by_their_numbers(version, specifier, fits):
    assert packages.fits(version, specifier) is fits
