from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.views.folds import FoldKind, Repeat, fold_name, folds_of, shorten
from tapelab.views.timeline import Model


def folded(recording):
    model = Model.of(recording)
    return model, folds_of(recording, model.graph)


def kinds_sizes_and_names(model, found):
    return [(each.kind.value, each.size, fold_name(model, found, each)) for each in found.folds]


def test_a_composite_folds_and_so_does_the_one_inside(golden):
    model, found = folded(golden("composite"))
    assert kinds_sizes_and_names(model, found) == [
        ("composite", 5, "reduce_std"),
        ("composite", 4, "reduce_variance"),
        ("composite", 3, "norm"),
    ]
    assert found.open_at_first() == {0, 1, 2}


def test_a_loop_in_a_loop_is_found_with_the_composite_beside_it(golden):
    _, found = folded(golden("loops"))
    outer = found.folds[0]
    assert (outer.kind, outer.size) == (FoldKind.LOOP, 3)
    inside = [each for each in found.folds if each.parent == 1]
    assert [each.kind for each in inside] == [FoldKind.LOOP, FoldKind.COMPOSITE]
    assert inside[0].size == 4


def test_a_loop_of_many_iterations_starts_as_one_node_and_opens_by_the_dozen(golden):
    _, found = folded(golden("chain"))
    opened = found.open_at_first()
    hidden = found.hidden_by(opened)
    shown = {
        (fold, node if fold < 0 else -1)
        for node, fold in enumerate(hidden[fold] if fold >= 0 else -1 for fold in found.of_node)
    }
    assert shown == {(-1, 0), (0, -1)}
    parts = [sum(each.parent == at for each in found.folds) for at in range(len(found.folds))]
    assert max(parts) <= 12


def test_a_training_loop_is_shown_by_what_it_recorded_not_by_the_update_beside_the_tape(golden):
    model, found = folded(golden("updates"))
    assert kinds_sizes_and_names(model, found)[0] == ("loop", 14, "loss")
    assert {model.graph.nodes[each.last].kind.value for each in found.folds} == {"op"}


def test_a_loop_that_ran_beside_the_tape_is_shown_by_what_ran_last():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            y = x
            for _ in range(14):
                z = tf.sin(y)
                y = z * 0.5
        loss = x * y
    model, found = folded(tape.recording(loss))
    assert kinds_sizes_and_names(model, found)[0] == ("loop", 14, "y")


def test_a_variable_that_every_iteration_reads_stays_outside_the_loop(golden):
    model, found = folded(golden("iterations"))
    x = model.graph.of_tensor[model.backward_pass.gradient_call.sources[0]]
    assert found.of_node[x] == -1


def test_constants_go_where_they_are_used_and_a_layers_own_weights_with_it():
    weights = [tf.Variable(1.0 + at) for at in range(20)]
    with tf.GradientTape() as tape:
        y = tf.constant(1.0)
        for weight in weights:
            y = 2.0 * y * weight
    model, found = folded(tape.recording(y))
    assert found.folds[0].size == 20
    of_weights = [
        found.of_node[at]
        for at, node in enumerate(model.graph.nodes)
        if node.kind.value == "variable"
    ]
    assert {found.folds[fold].kind for fold in of_weights} == {FoldKind.ITERATION}
    assert len(set(of_weights)) == 20


@pytest.mark.parametrize("keys", [[], [1], [1, 2, 1, 2], list(range(50))])
def test_what_happens_less_than_three_times_in_a_row_is_no_loop(keys):
    assert len(shorten(keys)) == 1


def test_the_end_of_a_loop_that_broke_off_stays_outside():
    levels = shorten([1, 2, 1, 2, 1, 2, 1, 9])
    assert levels[1].repeats == {0: Repeat(0, 2, 3)}
    assert len(levels[1].keys) == 3


def test_weights_lie_in_the_module_that_alone_uses_them(golden):
    model, found = folded(golden("modules"))
    assert kinds_sizes_and_names(model, found) == [
        ("composite", 7, "net"),
        ("composite", 2, "blocks[0]"),
        ("composite", 2, "blocks[1]"),
        ("composite", 2, "blocks[2]"),
    ]
    homes = {
        found.of_node[at]
        for at, node in enumerate(model.graph.nodes)
        if node.kind.value == "variable"
    }
    assert homes == {0, 1, 2, 3}


def test_the_block_of_another_tape_is_a_fold_unless_all_of_the_tape_ran_in_it(golden):
    model, found = folded(golden("second_order"))
    assert ("composite", 2, "inner") in kinds_sizes_and_names(model, found)
    x = tf.Variable(2.0)
    with tf.GradientTape() as one, tf.GradientTape():
        y = x * x * x
    _, found = folded(one.recording(y))
    assert found.folds == []


def test_a_block_that_begins_inside_a_call_and_ends_after_it_is_no_fold():
    x = tf.Variable(2.0)

    def opened(tape):
        y = x * x
        tape.__enter__()
        return y * x * x

    module = type("Opens", (tf.Module,), {"__call__": lambda self, tape: opened(tape)})()
    with tf.GradientTape() as outer:
        inner = tf.GradientTape()
        y = module(inner)
        z = y * y * y
        inner.__exit__(None, None, None)
    model, found = folded(outer.recording(z))
    names = [name for _, _, name in kinds_sizes_and_names(model, found)]
    assert names == ["opens", "opened(tape)"]


def test_very_many_different_ops_are_shown_in_stretches():
    functions = [tf.sin, tf.cos, tf.tanh, tf.sigmoid, tf.square]
    order = np.random.default_rng(0).integers(0, len(functions), 10_000)
    x = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        y = x
        for at in order.tolist():
            y = functions[at](y)
    model, found = folded(tape.recording(y))
    hidden = found.hidden_by(found.open_at_first())
    of = [hidden[fold] if fold >= 0 else -1 for fold in found.of_node]
    shown = [at if fold < 0 else -fold for at, fold in enumerate(of)]
    assert len(set(shown)) <= 40
    parts = [sum(each.parent == at for each in found.folds) for at in range(len(found.folds))]
    assert max(parts) <= 60
    assert model.graph.nodes
