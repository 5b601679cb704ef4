from __future__ import annotations

import tapelab as tf
from tapelab.views.tape_graph import EdgeKind, FrameKind, NodeKind
from tapelab.views.timeline import FORWARD, Model


def labels(model):
    return [model.frame_label(number) for number in range(len(model.graph.frames))]


def states(model, step=None):
    at = None if step is None else model.at(step)
    frames = model.graph.frames
    return [model.slot(frame.node, at).state for frame in frames if frame.node >= 0]


def test_scene_a_has_five_frames_and_eleven_steps(golden):
    model = Model.of(golden("scene_a"))
    assert labels(model) == ["x", "y", "x * y", "tf.sin(x)", "z"]
    assert len(model) == 11


def test_forwards_each_step_lights_the_next_frame(golden):
    model = Model.of(golden("scene_a"))
    steps = [model.at(number) for number in range(1, 6)]
    assert [step.frame for step in steps] == [0, 1, 2, 3, 4]
    assert {step.phase for step in steps} == {"forward"}


def test_backwards_the_last_op_comes_first_and_paths_meet_at_x(golden):
    model = Model.of(golden("scene_a"))
    steps = [model.at(number) for number in range(6, 12)]
    through = [model.tag(step.frame) for step in steps]
    assert through == ["+", "+", "+", "sin", "×", "×"]
    arrives = [model.label(step.node) for step in steps]
    assert arrives == ["z", "x * y", "tf.sin(x)", "x", "x", "y"]


def test_a_gradient_is_pending_then_part_then_a_value(golden):
    model = Model.of(golden("scene_a"))
    x = model.graph.frames[0].node
    seen = [model.slot(x, model.at(number)).state for number in range(8, 12)]
    assert seen == ["pending", "part", "value", "value"]


def test_zero_none_and_shown_as_zero_are_different_things(golden):
    assert states(Model.of(golden("zero")))[0] == "zero"
    assert states(Model.of(golden("numpy_detour")))[0] == "none"
    unconnected = Model.of(golden("unconnected_zero"))
    y = unconnected.graph.of_tensor[unconnected.backward_pass.gradient_call.sources[1]]
    assert unconnected.slot(y).state == "nonezero"
    assert states(Model.of(golden("not_finite")))[0] == "nan"


def test_steps_beyond_the_ends_are_the_ends(golden):
    model = Model.of(golden("scene_a"))
    assert model.at(-3) == model.at(0)
    assert (model.at(0).phase, model.at(0).frame) == (FORWARD, -1)
    assert model.at(99) == model.at(11)


def test_an_empty_tape_has_no_steps(golden):
    model = Model.of(golden("empty"))
    assert len(model) == 0
    assert model.at(1).phase == "empty"


def test_what_numpy_computed_lies_beside_the_tape_behind_a_cut(golden):
    model = Model.of(golden("numpy_detour"))
    kinds = [frame.kind for frame in model.graph.frames]
    assert kinds == [FrameKind.WATCH, FrameKind.OP, FrameKind.OFF, FrameKind.OFF]
    assert [edge.kind for edge in model.graph.edges] == [
        *(EdgeKind.TAPED, EdgeKind.CUT, EdgeKind.OFF),
    ]


def test_a_departure_without_return_is_not_drawn():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        float(y)
    model = Model.of(tape.recording(y))
    assert [frame.kind for frame in model.graph.frames] == [FrameKind.WATCH, FrameKind.OP]


def test_of_several_questions_the_last_with_a_way_back_is_shown(golden):
    model = Model.of(golden("persistent"))
    assert len(model.backward_passes) == 2
    assert model.chosen == 1
    assert len(Model.of(golden("persistent"), chosen=0)) > len(model)


def test_what_ran_after_the_tape_is_drawn_where_a_target_needs_it(golden):
    model = Model.of(golden("after_tape"))
    assert labels(model) == ["x", "y", "z"]
    assert model.is_off(2)


def test_an_assignment_has_a_frame_beside_the_tape(golden):
    model = Model.of(golden("assigned"))
    assert model.tag(1) == "assign_add"
    assert labels(model)[1] == "x1"
    assert model.is_off(1)


def test_a_source_that_is_not_on_the_timeline_still_has_a_node(golden):
    model = Model.of(golden("not_watched"))
    source = model.graph.of_tensor[model.backward_pass.gradient_call.sources[0]]
    assert model.graph.nodes[source].kind is NodeKind.CONSTANT
    assert model.slot(source).state == "none"


def test_ten_thousand_ops_need_no_recursion():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(10_000):
            y = y * 1.0
    model = Model.of(tape.recording(y))
    assert len(model) == 2 * (10_000 + 1)
    assert model.slot_text(model.slot(0), 9) == "1.0000"
