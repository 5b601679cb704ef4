"""What is said of gradients in PyTorch programs: each pitfall, its fix, its near miss."""

from __future__ import annotations

import linecache
import re
from contextlib import suppress

import pytest

import tapelab
from tapelab.recording import from_bytes, to_bytes
from tests.foreign.healthy import HEALTHY
from tests.foreign.programs import PITFALLS

torch = pytest.importorskip("torch", reason="PyTorch is in an environment of its own: make torch")

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning:torch"),
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf"),
    pytest.mark.filterwarnings("ignore:To copy construct from a tensor"),
]
RAISED = RuntimeError, TypeError
"""What a program with a pitfall may end with."""


def explained(program, name, source="w", *, may_raise=False):
    """Record a program; the explanation of the gradient of `loss` with respect to a source."""
    text, file = re.sub("[«»]", "", program), f"<program {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {"__name__": "__main__", "torch": torch, "nn": torch.nn}
    torch.manual_seed(0)
    with suppress(*RAISED if may_raise else ()), tapelab.record() as tape:
        exec(compile(text, file, "exec"), space)
    assert from_bytes(to_bytes(tape.recording())) == tape.recording()
    return tapelab.explain(tape, space["loss"], space[source])


@pytest.mark.parametrize("name", PITFALLS)
def test_a_pitfall_is_named_at_its_expression_and_its_near_miss_is_not(name):
    pitfall = PITFALLS[name]
    finding = explained(pitfall.program, name, pitfall.source, may_raise=True).findings[0]
    assert finding.code == pitfall.code
    marked = re.search("«(.*?)»", pitfall.program)
    assert finding.where is None or marked is None or finding.where.text == marked[1]
    assert "tf." not in f"{finding.title} {finding.message} {finding.fix}"
    near = explained(pitfall.near_miss, f"{name}, near miss", pitfall.source)
    assert near.findings == ()
    assert near.connected


@pytest.mark.parametrize("name", [name for name, each in PITFALLS.items() if each.fixed])
def test_the_line_to_write_instead_repairs_the_program(name):
    pitfall = PITFALLS[name]
    program = re.sub("[«»]", "", pitfall.program)
    fix = explained(program, name, pitfall.source, may_raise=True).findings[0].fix
    assert explained(fix.apply(program), f"{name}, fixed", pitfall.source).findings == ()


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_program_has_no_finding(name):
    explanation = explained(HEALTHY[name], name)
    assert explanation.findings == ()
    assert explanation.connected


def test_why_explains_the_last_backward_pass_until_tapelab_computes_a_gradient():
    pitfall = PITFALLS["in_place_add"]
    space = {"torch": torch}
    with pytest.raises(RuntimeError), tapelab.record() as tape:
        exec(re.sub("[«»]", "", pitfall.program), space)
    assert [each.code for each in tapelab.why().findings] == ["OVERWRITTEN_VALUE"]
    assert tape.recording().failures
    x = tapelab.Variable(2.0)
    with tapelab.GradientTape() as own:
        y = tapelab.stop_gradient(x) * 3.0
    own.gradient(y, x)
    assert [each.code for each in tapelab.why().findings] == ["STOPPED"]
