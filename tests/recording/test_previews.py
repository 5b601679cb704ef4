"""What large tensors look like: blocks, bins and images, from the numbers and back from bytes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapelab as tf
from tapelab.errors import RecordingError
from tapelab.recording import from_bytes, to_bytes
from tapelab.recording.previews import ROOM, Form, Preview, PreviewBudget, plane_of, preview_of

RNG = np.random.default_rng(7)


def recorded(value, **tape):
    x = tf.Variable(value)
    with tf.GradientTape(**tape) as opened:
        y = tf.reduce_sum(x * x)
    return opened.recording(y, x)


def previews_by_shape(recording):
    return {recording.tensor(at).shape for at in recording.previews}


def test_a_matrix_becomes_the_means_of_its_blocks():
    matrix = RNG.normal(size=(64, 128))
    preview = preview_of(matrix)
    assert (preview.form, preview.levels.shape) == (Form.MEANS, (1, 32, 32, 1))
    means = matrix.reshape(32, 2, 32, 4).mean(axis=(1, 3))
    np.testing.assert_allclose(preview.numbers[0, ..., 0], means, atol=preview.step)


def test_a_map_of_up_to_64_rows_and_columns_is_kept_entry_by_entry_if_there_is_room():
    matrix = RNG.normal(size=(64, 50))
    preview = preview_of(matrix)
    assert preview.levels.shape == (1, 64, 50, 1)
    np.testing.assert_allclose(preview.numbers[0, ..., 0], matrix, atol=preview.step)
    assert preview_of(matrix, 2048).levels.shape == (1, 32, 32, 1)
    assert preview_of(np.stack([matrix] * 16)).levels.shape == (16, 16, 16, 1)


def test_blocks_of_unequal_size_are_means_all_the_same():
    preview = preview_of(np.full((90, 67), 7.0))
    np.testing.assert_allclose(preview.numbers, 7.0)


def test_a_vector_becomes_the_ends_of_its_bins():
    preview = preview_of(np.arange(640.0) - 320.0)
    assert (preview.form, preview.levels.shape) == (Form.ENDS, (1, 1, 64, 2))
    np.testing.assert_allclose(preview.numbers[0, 0, :2], [[-320, -311], [-310, -301]], atol=1.3)


def test_an_image_stays_an_image_and_a_stack_of_them_keeps_the_first():
    images = RNG.random((9, 48, 40, 3)).astype(np.float32)
    preview = preview_of(images)
    assert (preview.form, preview.levels.shape) == (Form.COLOURS, (4, 32, 32, 3))
    assert preview_of(images - 0.5).form is Form.MEANS


def test_a_gradient_is_no_image_but_a_map_for_each_colour():
    preview = preview_of(np.ones((20, 30, 3)), image=False)
    assert (preview.form, preview.levels.shape) == (Form.MEANS, (3, 20, 30, 1))
    recording = recorded(np.full((20, 20, 3), 0.5))
    forms = {(int(recording.columns["tensor.role"][at]), each.form.name)
             for at, each in recording.previews.items()}  # fmt: skip
    assert forms == {(1, "COLOURS"), (0, "COLOURS"), (4, "MEANS")}


def test_bytes_of_colours_go_up_to_255():
    preview = preview_of(np.full((20, 20, 3), 255, np.uint8))
    assert preview.form is Form.COLOURS
    np.testing.assert_allclose(preview.numbers, 255.0)


@pytest.mark.parametrize(
    ("shape", "plane"),
    [
        ((30, 40), (0, 1)), ((3, 30, 40), (1, 2)), ((28, 28, 1), (0, 1)), ((9, 28, 28, 1), (1, 2)),
        ((20, 30, 3), (0, 1)), ((2, 26, 26, 6), (1, 2)), ((3, 3, 16, 32), (2, 3)),
        ((2, 4, 20, 20), (2, 3)),
    ],
)  # fmt: skip
def test_rows_and_columns_are_the_last_axes_or_those_before_the_channels(shape, plane):
    assert plane_of(shape) == plane


def test_slices_are_counted_in_the_order_of_the_other_axes():
    maps = np.broadcast_to(np.arange(12.0).reshape(2, 1, 1, 6), (2, 26, 26, 6))
    preview = preview_of(maps)
    np.testing.assert_allclose(preview.numbers[:, 0, 0, 0], np.arange(12.0), atol=0.05)


def test_zero_stays_zero_beside_numbers_of_both_signs():
    matrix = np.zeros((20, 20))
    matrix[0, :2] = -3.0, 1.0
    assert (preview_of(matrix).numbers == 0).sum() == 398


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_a_block_with_a_number_that_is_none_is_none(odd):
    matrix = np.ones((128, 128), np.float32)
    matrix[20, 40] = odd
    unknown = np.isnan(preview_of(matrix).numbers[0, ..., 0])
    assert np.argwhere(unknown).tolist() == [[5, 10]]
    assert np.isnan(preview_of(np.full((20, 20), odd)).numbers).all()


def test_sums_that_are_too_large_for_their_type_have_a_mean_all_the_same():
    preview = preview_of(np.full((320, 320), 3e38, np.float32))
    np.testing.assert_allclose(preview.numbers, 3e38, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint8", "float16", "complex64"])
def test_other_numbers_have_previews_too(dtype):
    preview = preview_of(np.ones((20, 20)).astype(dtype))
    np.testing.assert_allclose(preview.numbers, 1.0)


def test_words_and_nothing_have_no_preview():
    assert preview_of(np.full(300, "a", object)) is None
    assert preview_of(np.zeros((0, 400))) is None


def test_all_previews_together_take_no_more_than_their_room():
    room = PreviewBudget()
    previews = [room.preview(np.ones((100, 100)), image=True) for _ in range(2000)]
    sizes = [each.levels.size for each in previews if each]
    assert ROOM // 2 < sum(sizes) <= ROOM
    assert sizes == sorted(sizes, reverse=True)
    assert previews[-1] is None


@pytest.mark.parametrize("value", [np.ones((20, 20)), RNG.normal(size=400), np.ones((8, 8, 8))])
def test_previews_survive_the_way_through_bytes(value):
    recording = recorded(value)
    again = from_bytes(to_bytes(recording))
    assert again == recording
    assert previews_by_shape(again) == {value.shape}
    for at, preview in again.previews.items():
        np.testing.assert_array_equal(preview.levels, recording.previews[at].levels)


def test_values_and_gradients_of_one_look_are_previewed():
    recording = recorded(np.full((20, 20), 3.0))
    roles = recording.columns["tensor.role"]
    numbers = {(int(roles[at]), round(each.numbers.mean(), 2))
               for at, each in recording.previews.items()}  # fmt: skip
    assert numbers == {(1, 3.0), (0, 9.0), (4, 1.0), (4, 3.0), (4, 6.0)}


def test_a_recording_of_small_tensors_has_no_columns_of_previews():
    recording = recorded(np.ones(3))
    assert recording.previews == {}
    assert not [name for name in recording.columns if name.startswith("preview")]


def test_what_the_program_still_holds_is_seen_after_the_tape_has_answered():
    x = tf.Variable(np.full((20, 20), 2.0), name="x")
    with tf.GradientTape() as tape:
        hidden = x * 3.0
        y = tf.reduce_sum(hidden * hidden)
    gradient = tape.gradient(y, x)
    recording = tape.recording()
    shown = {recording.tensor(at).name: round(each.numbers.mean(), 1)
             for at, each in recording.previews.items()}  # fmt: skip
    assert shown == {"x": 2.0, "hidden": 6.0, "": round(float(gradient[0, 0]), 1)}
    last = recording.event(len(recording) - 1)
    assert recording.tensor(last.sum).shape == (20, 20)
    assert last.sum in recording.previews


def test_two_gradients_of_one_form_are_two():
    a, b = tf.Variable(np.full(300, 2.0)), tf.Variable(np.full(300, 5.0))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(a * a) + tf.reduce_sum(b * b)
    kept = tape.gradient(y, [a, b])
    recording = tape.recording()
    [call] = [each.event for each in recording if type(each.event).__name__ == "Asked"]
    means = [recording.measures.of(each).mean for each in call.results]
    assert means == [float(each[0]) for each in kept] == [4.0, 10.0]


def test_what_is_no_longer_referenced_is_not_made_up():
    x = tf.Variable(np.full((20, 20), 2.0))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * 3.0)
    tape.gradient(y, x)
    recording = tape.recording()
    known = {recording.tensor(at).role for at in recording.previews}
    assert known == {1}


def test_a_recording_from_before_there_were_previews_opens_as_ever():
    recording = recorded(np.full((20, 20), 3.0))
    new = ("preview", "share", "measure.mean", "measure.norm")
    old = {name: each for name, each in recording.columns.items() if not name.startswith(new)}
    again = from_bytes(to_bytes(replace(recording, columns=old)))
    assert again.previews == {}
    [state] = [at for at in old["measure.tensor"].tolist() if old["tensor.role"][at] == 1]
    measure = again.measures.of(state)
    assert (measure.least, measure.greatest) == (3.0, 3.0)
    assert np.isnan([measure.mean, measure.norm]).all()


def test_words_are_kept_as_they_are_printed_and_long_ones_are_not():
    with tf.GradientTape() as tape:
        tape.watch(tf.constant(1.0))
        few = tf.strings.upper(tf.constant(["yes", "no"]))
        many = tf.strings.upper(tf.constant(["yes"] * 17))
    recording = from_bytes(to_bytes(tape.recording()))
    words = {recording.tensor(at).name: recording.tensor(at).words
            for at in range(len(recording.columns["tensor.role"]))}  # fmt: skip
    assert (few.shape, many.shape) == ((2,), (17,))
    assert (words["few"], words["many"]) == ("[b'YES' b'NO']", "")


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_damage_anywhere_gives_previews_or_a_recording_error(data):
    raw = bytearray(DAMAGED)
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] = data.draw(st.integers(0, 255))
    try:
        previews = from_bytes(raw).previews
    except RecordingError:
        return
    for each in previews.values():
        assert isinstance(each, Preview)
        assert each.numbers.shape == each.levels.shape


DAMAGED = to_bytes(recorded(np.ones((17, 17))))


@pytest.mark.parametrize("form", [[9, 1, 20, 20, 1], [0, 1, 20, 21, 1], [0, 0, 20, 20, 1]])
def test_a_preview_of_an_impossible_form_is_refused(form):
    recording = recorded(np.ones((20, 20)))
    forms = np.array(form * len(recording.previews), "<i4")
    damaged = replace(recording, columns={**recording.columns, "preview.form": forms})
    with pytest.raises(RecordingError, match="previews in this recording are damaged"):
        damaged.previews  # noqa: B018  asking for them raises
