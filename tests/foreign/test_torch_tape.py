"""Real PyTorch programs as recordings: values, the user's lines, every backward step."""

from __future__ import annotations

import linecache
from textwrap import dedent

import numpy as np
import pytest

import tapelab
from tapelab.recording import events as e
from tapelab.recording import from_bytes, to_bytes
from tapelab.views import text_view

torch = pytest.importorskip("torch", reason="PyTorch is in an environment of its own: make torch")

FILE = "<torch program>"


def recorded(program, **names):
    """Run a program under a tape; the tape, and the program's names."""
    text = dedent(program).strip("\n")
    linecache.cache[FILE] = (len(text), None, text.splitlines(keepends=True), FILE)
    space = {"__name__": "__main__", "torch": torch, "nn": torch.nn, "np": np, **names}
    torch.manual_seed(0)
    with tapelab.record() as tape:
        exec(compile(text, FILE, "exec"), space)
    return tape, space


def ops(recording):
    """The name of each op that ran, with the line that ran it and why it is not on the tape."""
    return [
        (recording.ops[place.event.op].name, recording.text_at(place.span), place.event.cause)
        for place in recording.placed(e.Ran)
    ]


def gradient(recording, call=-1):
    """The gradients of a call, by the names of its sources."""
    event = recording.placed(e.Asked)[call].event
    return {
        recording.tensor(source).name: None if result < 0 else recording.tensor(result).value
        for source, result in zip(event.sources, event.results, strict=True)
    }


def test_each_op_stands_at_the_users_expression_and_each_step_has_its_numbers():
    tape, space = recorded("""
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        y = (w * w).sin()
        loss = y.sum() * 3
        loss.backward()
    """)
    recording = tape.recording(space["loss"])
    assert [op[:2] for op in ops(recording)] == [
        ("multiply", "w * w"), ("sin", "(w * w).sin()"), ("reduce_sum", "y.sum()"),
        ("multiply", "y.sum() * 3"),
    ]  # fmt: skip
    np.testing.assert_array_equal(gradient(recording)["w"], space["w"].grad.numpy())
    flowed = [place.event for place in recording.placed(e.Flowed)]
    through = {recording.ops[recording.event(step.event).op].name: step for step in flowed[1:]}
    sine = through["sin"]
    upstream, local, contribution = (
        recording.tensor(each).value for each in (sine.upstream, sine.local, sine.contribution)
    )
    np.testing.assert_allclose(local, np.cos([1.0, 4.0]), rtol=1e-6)
    np.testing.assert_allclose(upstream * local, contribution, rtol=1e-6)
    assert recording.framework == f"PyTorch {torch.__version__}"
    assert from_bytes(to_bytes(recording)) == recording
    assert "gradient of loss" in text_view.picture(recording)


def test_modules_are_groups_and_parameters_know_their_path():
    tape, space = recorded("""
        model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
        loss = model(torch.ones(4, 2)).sum()
        loss.backward()
    """)
    recording = tape.recording()
    assert [(group.name, group.path) for group in recording.groups] == [
        ("Sequential", ""), ("Linear", "0"), ("ReLU", "1"), ("Linear", "2"),
    ]  # fmt: skip
    assert [(each.name, each.path) for each in recording.variables] == [
        ("model.0.weight", "0.weight"), ("model.0.bias", "0.bias"),
        ("model.2.weight", "2.weight"), ("model.2.bias", "2.bias"),
    ]  # fmt: skip
    assert {text for _, text, _ in ops(recording)} == {
        "torch.ones(4, 2)", "model(torch.ones(4, 2))", "model(torch.ones(4, 2)).sum()"
    } - {"torch.ones(4, 2)"}  # fmt: skip
    library = [recording.ops[recording.event(each).op].name for each in recording.library_events]
    assert sorted(library) == ["linear", "linear", "relu"]
    for name, each in space["model"].named_parameters():
        np.testing.assert_allclose(gradient(recording)[f"model.{name}"], each.grad.numpy())


def test_a_write_in_place_is_a_new_version_and_views_share_their_storage():
    tape, space = recorded("""
        w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        h = w * 2
        v = h[0]
        h += 1
        h[1] = 0.0
        loss = (v * h).sum()
        loss.backward()
    """)
    recording = tape.recording()
    np.testing.assert_array_equal(gradient(recording)["w"], space["w"].grad.numpy())
    versions = {}
    for alias in recording.aliases.values():
        versions.setdefault(alias.storage, set()).add(alias.version)
    assert {0, 1, 2} in versions.values()


def test_grad_accumulates_until_it_is_cleared_and_the_optimizer_assigns():
    tape, space = recorded("""
        w = nn.Parameter(torch.tensor(2.0))
        optimizer = torch.optim.SGD([w], lr=0.5)
        for step in range(2):
            loss = w * w
            loss.backward()
            optimizer.step()
        optimizer.zero_grad()
    """)
    recording = tape.recording()
    value = lambda at: None if at < 0 else float(recording.tensor(at).value)  # noqa: E731
    kept = [place.event for place in recording.placed(e.Accumulated)]
    assert [(each.call, value(each.before), value(each.after)) for each in kept] == [
        (0, None, 4.0), (1, 4.0, 4.0), (-1, 4.0, None),
    ]  # fmt: skip
    states = [float(recording.tensor(p.event.state).value) for p in recording.placed(e.Assigned)]
    assert states == [0.0, -2.0]
    assert space["w"].item() == -2.0


def test_exits_and_stops_say_how_the_value_left():
    tape, _ = recorded("""
        w = torch.tensor([2.0, 1.0], requires_grad=True)
        h = torch.exp(w)
        a = h.detach().numpy()
        b = h.sum().item()
        c = h.data
        with torch.no_grad():
            d = torch.sin(w)
        i = torch.argmax(w)
        back = torch.tensor(b)
    """)
    recording = tape.recording()
    left = [recording.strings[place.event.how] for place in recording.placed(e.Left)]
    assert left == ["numpy()", "item()"]
    causes = {text: cause for _, text, cause in ops(recording)}
    assert causes["torch.sin(w)"] == e.Cause.PAUSED
    assert causes["torch.argmax(w)"] == e.Cause.INTEGER
    stops = [name for name, _, _ in ops(recording)].count("stop_gradient")
    assert stops == 2
    ((returned),) = recording.placed(e.Returned)
    assert recording.text_at(returned.span) == "torch.tensor(b)"


def test_a_custom_function_is_one_op_whose_body_is_replaced():
    tape, space = recorded("""
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2.0

            @staticmethod
            def backward(ctx, dy):
                return dy * 2.0

        w = torch.tensor(3.0, requires_grad=True)
        loss = Double.apply(w) * w
        loss.backward()
    """)
    recording = tape.recording()
    assert float(gradient(recording)["w"]) == float(space["w"].grad) == 12.0
    names = [(name, cause) for name, _, cause in ops(recording)]
    assert ("Double", e.Cause.TAPED) in names
    assert ("multiply", e.Cause.REPLACED) in names


def test_show_runs_a_backward_pass_that_the_program_did_not_and_leaves_no_trace():
    tape, space = recorded("""
        w = torch.tensor(3.0, requires_grad=True)
        y = w * w
    """)
    recording = tape.recording(space["y"])
    assert float(gradient(recording)["w"]) == 6.0
    assert space["w"].grad is None
    space["y"].backward()
    assert float(space["w"].grad) == 6.0


def test_the_program_is_left_as_it_was():
    _, space = recorded("""
        w = torch.tensor(3.0, requires_grad=True)
        y = (w * w).exp()
    """)
    before = space["w"] * 2
    assert type(before) is torch.Tensor
    space["y"].backward()
    plain = torch.tensor(3.0, requires_grad=True)
    (plain * plain).exp().backward()
    assert space["w"].grad == plain.grad
