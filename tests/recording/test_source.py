"""Instructions are found in the source to the column, and expressions get the learner's names."""

import linecache

import pytest

import tapelab as tf
from tapelab.recording import source


def run(text, **names):
    """Run code as a notebook would: under a file name that linecache knows."""
    file = f"<cell {abs(hash(text))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"tf": tf, **names}
    exec(compile(text, file, "exec"), scope)
    return scope


def ops_of(recording):
    rows = [each for each in recording if type(each.event).__name__ == "Ran"]
    return [recording.text_at(each.span) for each in rows]


def names_of(recording):
    count = len(recording.columns["tensor.role"])
    return {t.name for t in map(recording.tensor, range(count)) if t.named}


def test_each_op_is_found_to_the_column():
    scope = run(
        "x = tf.Variable(3.0)\n"
        "y = tf.Variable(4.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    z = x * y + tf.sin(x)\n"
    )
    recording = scope["tape"].recording(scope["z"])
    assert ops_of(recording) == ["x * y", "tf.sin(x)", "x * y + tf.sin(x)"]


def test_assignments_name_variables_results_and_the_tape():
    scope = run(
        "first = tf.Variable(3.0)\n"
        "with tf.GradientTape() as my_tape:\n"
        "    second = first * first\n"
        "    third: object = second + 1.0\n"
    )
    recording = scope["my_tape"].recording(scope["third"])
    assert {"first", "second", "third"} <= names_of(recording)
    assert recording.tape.name == "my_tape"


def test_a_given_name_wins_over_the_name_in_the_code():
    scope = run(
        "a = tf.Variable(1.0, name='weights')\nwith tf.GradientTape() as t:\n    y = a * a\n"
    )
    recording = scope["t"].recording(scope["y"])
    assert recording.variables[0].name == "weights"


def test_columns_count_characters_not_bytes():
    scope = run(
        "größe = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    é = größe * größe  # Ω\n"
    )
    assert ops_of(scope["tape"].recording(scope["é"])) == ["größe * größe"]


def test_a_cell_with_magics_still_gives_names():
    assert source._plain("%time 1\n!ls\nx = 1") == "pass\npass\nx = 1"


def test_code_without_source_has_lines_and_no_text():
    scope = {"tf": tf}
    exec("x = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    y = x * x\n", scope)
    recording = scope["tape"].recording(scope["y"])
    assert ops_of(recording) == [""]


@pytest.mark.parametrize("title", ["In [3]", None])
def test_a_hook_may_name_the_cell(monkeypatch, title):
    monkeypatch.setattr(source, "titles", [lambda file: title])
    assert source.title_of("/somewhere/lesson.py") == (title or "lesson.py")


def test_only_the_used_part_of_a_long_file_is_kept():
    body = "\n" * 500 + "x = tf.Variable(1.0)\nwith tf.GradientTape() as t:\n    y = x * x\n"
    scope = run(body + "\n" * 500)
    kept = scope["t"].recording(scope["y"]).sources[0]
    assert kept.first_line == 498
    assert kept.line(503) == "    y = x * x"
    assert len(kept.text.split("\n")) < 12


def test_the_text_of_another_string_is_not_taken_for_this_one(monkeypatch):
    monkeypatch.setitem(linecache.cache, "<string>", (9, None, ["wrong = 1\n"], "<string>"))
    assert source.lines_of("<string>") == []
