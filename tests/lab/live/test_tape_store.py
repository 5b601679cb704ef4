"""What the panel is given when it asks for the tape of a cell, in a real kernel."""

from __future__ import annotations

import pytest

from tapelab.recording import from_bytes

SETUP = 'w = tf.Variable(2.0, name="w")'
ASK = """
with tf.GradientTape() as tape:
    {name} = {code}
tape.gradient({name}, w)
"""


@pytest.fixture
def two_cells(kernel):
    """Two cells have asked a tape of the same name, one after the other."""
    kernel.run(SETUP, "setup")
    kernel.run(ASK.format(name="first", code="w * w"), "square")
    kernel.at_rest(1)
    kernel.run(ASK.format(name="second", code="w * 3.0"), "triple")
    kernel.at_rest(1)
    return kernel


def lines_of(reply):
    """The code that a recording comes from, without the cells that only made its variables."""
    return "".join(source.text for source in from_bytes(reply["buffers"][0]).sources)


@pytest.mark.parametrize(("cell", "name"), [("square", "first"), ("triple", "second")])
def test_each_cell_has_a_tape_of_its_own(two_cells, cell, name):
    reply = two_cells.ask({"do": "open", "step": None, "cell": cell}, "recording", "error")
    assert (reply["is"], reply["cell"], f"{name} =" in lines_of(reply)) == ("recording", cell, True)
    why = two_cells.ask({"do": "explain", "step": None, "cell": cell}, "explanation", "error")
    assert (why["cell"], why["explanation"]["target"]) == (cell, name)


def test_a_cell_that_runs_again_without_a_tape_has_none_any_more(two_cells):
    two_cells.run("1 + 1", "square")
    reply = two_cells.ask({"do": "open", "step": None, "cell": "square"}, "recording", "error")
    assert reply["is"] == "error"
    assert "No tape of this cell is kept" in reply["message"]


def test_a_function_called_elsewhere_leaves_its_tape_with_both_cells(two_cells):
    body = ASK.format(name="out", code="w * 5.0").replace("\n", "\n    ")
    two_cells.run(f"def step():{body}", "definition")
    two_cells.run("step()", "call")
    two_cells.at_rest(1)
    for cell in ("definition", "call"):
        reply = two_cells.ask({"do": "open", "step": None, "cell": cell}, "recording", "error")
        assert "out = w * 5.0" in lines_of(reply)


def test_a_cell_that_ran_unheard_is_found_by_the_name_of_its_tape(kernel):
    kernel.run(SETUP, "setup")
    kernel.say({"do": "hide"})
    kernel.run(ASK.format(name="unheard", code="w * w"), "hidden")
    reply = kernel.ask({"do": "open", "step": None, "cell": "hidden"}, "recording", "error")
    assert "unheard =" in lines_of(reply)
