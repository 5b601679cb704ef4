"""What strangers call themselves is shown as it is: no markup, and no command to the terminal."""

from __future__ import annotations

import pytest

from tapelab.cli.terminal_text import printable, table_cell

NAME = "[bold]eve\x1b[2J\x9b31m\u202e"


def test_a_terminal_obeys_no_character_of_a_name():
    assert printable(NAME) == "[bold]eve�[2J�31m�"
    assert printable("Zoë\n[x]") == "Zoë\n[x]"


def test_brackets_in_a_table_are_no_markup():
    assert table_cell("[bold]") == r"\[bold]"


@pytest.mark.parametrize("named", [f"{NAME}.ipynb", "[red].ipynb"])
def test_a_class_with_an_odd_name_is_listed_with_that_name(main, tmp_path, named):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    (folder / named).write_text("{")
    output = main("grade", folder, "-a", "05", "--unsafe", code=1)
    assert printable(named.removesuffix(".ipynb"))[:9] in "".join(output.stdout.split())
    assert not {"\x1b", "\x9b", "\u202e"} & {*output.stdout, *output.stderr}


def test_what_is_not_graded_is_listed_and_the_exit_code_says_so(main, tmp_path):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    (folder / "ada.py").write_text("")
    main("grade", folder, "-a", "05", "--unsafe")
    (folder / "essay.pdf").write_text("")
    (folder / "bob.7z").write_text("")
    listed = " ".join(
        main("grade", folder, "-a", "05", "--unsafe", "--add-students", code=1).stdout.split()
    )
    assert "essay.pdf It is no notebook" in listed
    assert "bob unreadable" in listed
    assert "bob.7z is an archive of a kind that is not read. Pack it as a zip archive." in listed
