"""The `tapelab` command: its version, its help, its completion, and the exit codes it promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tapelab.installation import extra_command
from tapelab.lab.lesson_folder import lessons, shipped_folder
from tapelab.version import __version__

COMMANDS = ("lab", "lessons", "show", "export", "explain", "doctor", "warmup")
PROGRAM = Path(sys.executable).with_name("tapelab")


def test_the_version_is_printed(tapelab):
    assert tapelab("--version").stdout == f"tapelab {__version__}\n"


def test_the_installed_program_and_the_module_are_one(tapelab):
    output = subprocess.run([PROGRAM, "-h"], capture_output=True, text=True, check=True)
    assert output.stdout.split() == tapelab("-h", COLUMNS="80").stdout.split()


def test_help_lists_every_command_with_a_sentence_and_the_exit_codes(main):
    output = main("--help").stdout
    for name in COMMANDS:
        (line,) = (row for row in output.splitlines() if row.startswith(f"│ {name} "))
        assert len(line.strip("│ ").split()) > 4
    assert "Exit codes: 0 all is well" in " ".join(output.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_a_sentence_for_each_option(main, command):
    output = main(command, "--help").stdout
    assert f"Usage: tapelab {command} " in output
    assert "TEXT" not in output


@pytest.mark.parametrize("wrong", [["shwo"], ["show"], ["show", "z.tape", "--txt"]])
def test_a_mistyped_command_ends_in_2_with_help_at_hand(main, wrong):
    output = main(*wrong, code=2)
    assert output.stdout == ""
    assert "Usage: tapelab" in output.stderr


def test_without_the_library_for_commands_the_extra_is_named():
    without_typer = "import sys; sys.modules['typer'] = None; import tapelab.cli"
    output = subprocess.run(
        [sys.executable, "-c", without_typer], capture_output=True, text=True, check=False
    )
    assert output.returncode == 2
    assert output.stderr.endswith(f"Try: {extra_command('lab')}\n")
    assert "Traceback" not in output.stderr


def completed(tapelab, words: str) -> list[str]:
    """What bash offers where these words end."""
    requests = {"_TAPELAB_COMPLETE": "complete_bash", "COMP_WORDS": words}
    return tapelab(COMP_CWORD=str(words.count(" ")), **requests).stdout.split()


@pytest.mark.slow
def test_the_tab_key_offers_commands_lessons_and_files(tapelab, tape, tmp_path):
    (tmp_path / "zoo").mkdir()
    (tmp_path / "z.txt").write_text("")
    assert completed(tapelab, "tapelab le") == ["lessons"]
    assert completed(tapelab, "tapelab show z") == ["z.tape", "zoo/"]
    names = [each.stem for each in lessons(shipped_folder()) if each.stem.startswith("02")]
    assert completed(tapelab, "tapelab lab --lesson 02") == names


def test_a_terminal_without_our_letters_gets_the_text_all_the_same(tapelab, tape):
    output = tapelab("show", tape, "--text", PYTHONIOENCODING="ascii").stdout
    assert "Write instead:" in output
