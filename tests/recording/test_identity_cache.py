"""Equal code of two cells has two places; an object gets nothing of one that had its id."""

import linecache

import pytest

import tapelab as tf
from tapelab.recording.identity_cache import cached_by_identity
from tapelab.recording.source import extent_of

LOOP = """\
@tf.function
def power(x, n):
    y = x * 1.0
    for i in tf.range(n):
        y = y * x
    return y

x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = power(x, tf.constant(2))
"""


@pytest.fixture
def run(monkeypatch):
    """Run code as a cell of this name, whose text Python knows only where it is said."""

    def in_cell(text, file, *, is_known=True):
        if is_known:
            lines = text.splitlines(keepends=True)
            monkeypatch.setitem(linecache.cache, file, (len(text), None, lines, file))
        names = {"tf": tf}
        exec(compile(text, file, "exec"), names)
        return names

    return in_cell


def test_a_function_is_rewritten_in_the_cell_where_it_stands_now(run):
    with pytest.raises(TypeError, match="AutoGraph"):  # without its text it loops in Python
        run(LOOP, "<lost>", is_known=False)
    for file in ("<first>", "<second>"):
        recording = run(LOOP, file)["tape"].recording()
        assert [each.title for each in recording.sources] == [file]


def test_a_place_is_counted_in_characters_as_soon_as_the_text_is_known(run):
    text = "def f(ξ): return ξ + ξ\n"
    lost, known = (run(text, f"<{word}>", is_known=word == "known")["f"].__code__
                   for word in ("lost", "known"))  # fmt: skip
    assert lost == known
    add = max(at for at in range(0, len(known.co_code), 2) if extent_of(lost, at)[1] == 18)
    assert extent_of(lost, add) == (1, 18, 1, 25)
    assert extent_of(known, add) == (1, 17, 1, 22)


def test_an_object_gets_nothing_of_one_that_had_its_id():
    class Thing:
        pass

    serials = iter(range(1000))
    serial_of = cached_by_identity(maxsize=1000)(lambda thing: next(serials))
    things = [Thing() for _ in range(200)]
    gone = {id(thing): serial_of(thing) for thing in things}
    del things
    others = [Thing() for _ in range(200)]
    assert any(id(thing) in gone for thing in others)
    assert [serial_of(thing) for thing in others] == list(range(200, 400))
    assert [serial_of(thing) for thing in others] == list(range(200, 400))
