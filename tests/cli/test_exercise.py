"""`tapelab exercise`: begin, look, prove and release, and clear words where that cannot be."""

from __future__ import annotations

import pytest


def test_a_new_folder_holds_an_example_named_after_it(main, tmp_path):
    output = main("exercise", "new", "cubes").stdout
    assert "Wrote cubes/exercises.py." in output
    assert 'tf.check("cubes.1")' in (tmp_path / "cubes" / "notebook.py").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("new", "."), "is there already"),
        (("new", "my cubes"), "'my cubes' cannot begin the ids of exercises."),
        (("preview", "nowhere"), "There is no exercises.py in nowhere."),
        (("validate", "nowhere"), "tapelab exercise new nowhere"),
        (("release", "nowhere"), "There is no exercises.py in nowhere."),
    ],
)
def test_what_cannot_be_is_one_sentence(main, tmp_path, arguments, said):
    (tmp_path / "file").touch()
    assert said in main("exercise", *arguments, code=2).stderr


def test_a_preview_prints_the_notebook_its_checks_and_its_hints(main):
    main("exercise", "new", "cubes")
    output = main("exercise", "preview", "cubes").stdout
    for text in ("x³, anywhere", "def derivative(value):", "(private)", "(1 points)", "20 points"):
        assert text in output
    assert "x * x * x" not in output
    assert "x * x * x" in main("exercise", "preview", "cubes", "--solved").stdout


def test_a_preview_in_jupyterlab_is_built_in_a_folder_of_its_own(main, monkeypatch):
    opened = []
    monkeypatch.setattr(
        "tapelab.cli.exercise_commands.become_jupyterlab", lambda *given, **_: opened.append(given)
    )
    main("exercise", "new", "cubes")
    main("exercise", "preview", "cubes", "--lab")
    ((place, page),) = opened
    assert (place / page).is_file()
    assert "private" not in (place / "exercises.py").read_text()


def test_what_speaks_against_a_work_is_listed(main, tmp_path):
    main("exercise", "new", "cubes")
    script = tmp_path / "cubes" / "exercises.py"
    script.write_text(script.read_text().replace("POINTS = 20", "POINTS = 21"))
    output = main("exercise", "release", "cubes", code=1).stderr
    assert "- POINTS says 21; the checks add up to 20." in output
    assert not (tmp_path / "cubes" / "release").exists()


@pytest.mark.slow
def test_the_example_is_proved_and_released(main, tmp_path):
    main("exercise", "new", "cubes")
    output = main("exercise", "release", "cubes").stdout
    assert output.startswith("Released to cubes/release: cubes.ipynb, exercises.py.")
    assert "private" not in (tmp_path / "cubes" / "release" / "exercises.py").read_text()
