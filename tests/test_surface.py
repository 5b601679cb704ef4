"""The page on what is there of TensorFlow says what is there, and the README quotes it."""

import pytest

from tools import surface
from tools.programs import uses_of


def test_the_page_and_the_readme_are_what_the_generator_writes():
    assert surface.main(["--check"]) is None
    assert surface.claim() in surface.README.read_text(encoding="utf-8")


def test_a_stale_page_is_noticed(monkeypatch, tmp_path):
    monkeypatch.setattr(surface, "PAGE", tmp_path / "surface.md")
    assert surface.main(["--check"]) == "Out of date: surface.md. Run python -m tools.surface."


def test_a_symbol_that_is_not_there_is_seen_as_missing(monkeypatch):
    lines = {"symbols.txt": ["T1 tf.sin", "T1 tf.sinus"]}
    monkeypatch.setattr(surface, "_lines", lambda file: lines.get(file, []))
    assert [(each.name, each.there) for each in surface.symbols()] == [
        ("tf.sin", True),
        ("tf.sinus", False),
    ]


def test_every_difference_has_a_symbol_a_difference_and_a_reason():
    for line in surface._lines("differences.txt"):
        name, what, why = (part.strip() for part in line.split("|"))
        assert name.startswith("tf.")
        assert what
        assert why


def test_every_cell_of_a_guide_that_does_not_run_is_explained():
    for guide in surface.guides():
        explained = sum(len(cells.split(",")) for cells, _ in guide.stopped)
        assert explained == guide.valid - guide.passed, guide.name
        assert guide.alike <= guide.passed
        assert all(why for _, why in guide.stopped)


@pytest.mark.parametrize(
    ("source", "used"),
    [
        ("tf.math.sin(x)", {"tf.math", "tf.math.sin"}),
        ("v.assign(1.0)", {".assign"}),
        ("2.0 - x", {".__rsub__"}),
        ("-x @ y", {".__neg__", ".__matmul__"}),
        ("len(x[0])", {".__len__", ".__getitem__"}),
    ],
)
def test_a_program_counts_for_the_names_and_operators_it_uses(source, used):
    assert set(uses_of((source,))) == used
