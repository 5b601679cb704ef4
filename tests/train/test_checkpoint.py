"""Checkpoints: variables in TensorFlow's files, matched by the names of attributes.

`tests/fixtures/checkpoints` holds files that TensorFlow 2.21 wrote.
"""

from pathlib import Path

import numpy as np
import pytest

import tapelab as tf

FILES = Path(__file__).parents[1] / "fixtures" / "checkpoints"
keras = tf.keras


class Net(tf.Module):
    """Variables in attributes, lists, tuples, dicts and another module."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable([1.0, 2.0], name="w")
        self.parts = [tf.Variable(1.0), {"q": tf.Variable(2.0)}]
        self.pair = (tf.Variable(3.0),)
        self.sub = tf.Module()
        self.sub.z = tf.Variable(5, dtype=tf.int64)
        self.named = {"a/b.c": tf.Variable(b"x")}


class Model(keras.Model):
    """A model that is built when it is called."""

    def __init__(self):
        super().__init__()
        self.l1 = keras.layers.Dense(5)
        self.blocks = [keras.layers.Dense(1), keras.layers.Dense(2)]
        self.cell = keras.layers.GRU(2)

    def call(self, x):
        self.blocks[0](self.l1(x))
        self.cell(x[:, None])
        return self.blocks[1](self.l1(x))


def test_a_module_comes_back_with_all_it_holds(tmp_path):
    net = Net()
    path = tf.train.Checkpoint(net).save(tmp_path / "new" / "ckpt")
    assert path == str(tmp_path / "new" / "ckpt-1")
    other = Net()
    for variable in other.variables:
        variable.assign(b"" if variable.dtype == tf.string else variable * 0)
    tf.train.Checkpoint(other).restore(path).assert_consumed()
    for one, wanted in zip(other.variables, net.variables, strict=True):
        np.testing.assert_array_equal(one.numpy(), wanted.numpy())


def test_names_are_those_of_tensorflow(tmp_path):
    path = tf.train.Checkpoint(Net()).save(tmp_path / "ckpt")
    theirs = tf.train.list_variables(FILES / "module-1")
    assert tf.train.list_variables(path) == theirs
    assert ("named/a.Sb..c/.ATTRIBUTES/VARIABLE_VALUE", []) in theirs


def test_a_module_of_tensorflow_is_restored():
    net = Net()
    net.w.assign([0.0, 0.0])
    net.named["a/b.c"].assign(b"")
    tf.train.Checkpoint(net).restore(FILES / "module-1").assert_consumed()
    np.testing.assert_array_equal(net.w, [1.0, 2.0])
    assert net.named["a/b.c"].numpy() == b"x"


def test_a_model_of_keras_gets_its_values_when_it_is_built():
    model, optimizer = Model(), keras.optimizers.SGD(0.1, momentum=0.9)
    status = tf.train.Checkpoint(net=model, optimizer=optimizer).restore(FILES / "model-1")
    model(np.ones((1, 1), np.float32))
    optimizer.build(model.trainable_variables)
    reader = tf.train.load_checkpoint(FILES / "model-1")
    for variable, key in (
        (model.l1.kernel, "net/l1/_kernel"),
        (model.blocks[1].kernel, "optimizer/_trainable_variables/4"),
        (model.cell.cell.kernel, "optimizer/_trainable_variables/6"),
        (optimizer.variables[10], "optimizer/_variables/10"),
    ):
        wanted = reader.get_tensor(f"{key}/.ATTRIBUTES/VARIABLE_VALUE")
        np.testing.assert_array_equal(variable.numpy(), wanted)
    assert np.any(optimizer.variables[2].numpy())
    status.assert_consumed()


def test_what_is_added_later_is_restored_then(tmp_path):
    saved = tf.train.Checkpoint(layer=tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)))
    path = saved.write(tmp_path / "c")
    layer = tf.train.Checkpoint(a=tf.Variable(0.0))
    status = tf.train.Checkpoint(layer=layer).read(path)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).layer.b"):
        status.assert_consumed()
    later = tf.Variable(0.0)
    assert float(later) == 0
    layer.b = later
    assert (float(layer.a), float(later)) == (1, 2)
    status.assert_consumed()
    module = tf.Module()
    tf.train.Checkpoint(layer=module).read(path).expect_partial()
    module.a = tf.Variable(7.0)
    assert float(module.a) == 1


def test_training_goes_on_where_it_was_saved(tmp_path):
    def training():
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
        optimizer = keras.optimizers.Adam(0.1)
        step = tf.Variable(0)
        checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)
        return checkpoint, model, optimizer, step

    def train(checkpoint):
        x = tf.constant([[1.0, 2.0], [3.0, -1.0]])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(checkpoint.model(x) ** 2)
        variables = checkpoint.model.trainable_variables
        gradients = tape.gradient(loss, variables)
        checkpoint.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        checkpoint.step.assign_add(1)

    one, model, _, _ = training()
    train(one)
    path = one.save(tmp_path / "t")
    train(one)
    other, again, optimizer, step = training()
    other.restore(path)
    train(other)
    assert int(step) == int(optimizer.iterations) == 2
    for a, b in zip(model.get_weights(), again.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_manager_keeps_the_last_checkpoints(tmp_path):
    v = tf.Variable(0.0)
    checkpoint = tf.train.Checkpoint(v=v)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    assert manager.latest_checkpoint is None
    assert manager.restore_or_initialize() is None
    paths = []
    for number in range(4):
        v.assign(number)
        paths.append(manager.save())
    assert manager.checkpoints == paths[2:] == [str(tmp_path / f"ckpt-{n}") for n in (3, 4)]
    assert sorted(each.name for each in tmp_path.glob("*.index")) == [
        "ckpt-3.index",
        "ckpt-4.index",
    ]
    assert tf.train.latest_checkpoint(tmp_path) == paths[3]
    other = tf.train.Checkpoint(v=tf.Variable(9.0))
    again = tf.train.CheckpointManager(other, tmp_path, max_to_keep=3, checkpoint_name="ckpt")
    assert again.restore_or_initialize() == paths[3]
    assert float(other.v) == 3
    assert again.save(checkpoint_number=10) == str(tmp_path / "ckpt-10")
    assert [Path(each).name for each in again.checkpoints] == ["ckpt-3", "ckpt-4", "ckpt-10"]


def test_a_manager_waits_for_its_interval(tmp_path):
    step = tf.Variable(0)
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(step=step), tmp_path, 1, step_counter=step, checkpoint_interval=2
    )
    saved = []
    for _ in range(5):
        step.assign_add(1)
        saved.append(manager.save() is not None)
    assert saved == [True, False, True, False, True]


def test_weights_have_the_names_of_keras_and_paths_begin_as_given(tmp_path, monkeypatch):
    dense, cell = keras.layers.Dense(1), keras.layers.GRUCell(1)
    dense.build((None, 2))
    cell.build((None, 2))
    monkeypatch.chdir(tmp_path)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(d=dense, c=cell), "./c", 1)
    assert manager.save() == tf.train.latest_checkpoint("./c") == "./c/ckpt-1"
    names = [name.partition("/.")[0] for name, _ in tf.train.list_variables("./c")]
    assert names[1:4] == ["c/bias", "c/kernel", "c/recurrent_kernel"]
    assert names[4:] == ["d/_kernel", "d/bias", "save_counter"]


def test_an_iterator_goes_on_where_it_was_saved(tmp_path):
    def iterator():
        return iter(tf.data.Dataset.range(6).map(lambda x: x * 10).batch(2))

    first = iterator()
    checkpoint = tf.train.Checkpoint(iterator=first)
    next(first)
    path = checkpoint.save(tmp_path / "c")
    assert next(first).numpy().tolist() == [20, 30]
    checkpoint.restore(path)
    assert next(first).numpy().tolist() == [20, 30]
    second = iterator()
    tf.train.Checkpoint(iterator=second).restore(path).assert_consumed()
    assert [each.numpy().tolist() for each in second] == [[20, 30], [40, 50]]


def test_two_names_of_a_variable_are_one_value(tmp_path):
    v = tf.Variable([1.0])
    path = tf.train.Checkpoint(a=v, b=v).write(tmp_path / "c")
    names = [name for name, _ in tf.train.list_variables(path)]
    assert names == ["_CHECKPOINTABLE_OBJECT_GRAPH", "a/.ATTRIBUTES/VARIABLE_VALUE"]
    assert tf.train.load_variable(path, names[1]).tolist() == [1.0]


@pytest.mark.parametrize(
    ("action", "error", "words"),
    [
        (lambda c, p: tf.train.Checkpoint(v=3), ValueError, "expecting v to be a trackable object"),
        (lambda c, p: tf.train.Checkpoint(tf.ones(1)), ValueError, "expecting root to be a track"),
        (lambda c, p: tf.train.Checkpoint(c, v=tf.Variable(1)), ValueError, "root.v already exis"),
        (lambda c, p: c.restore(f"{p}no"), tf.errors.NotFoundError, "double-check that the path"),
        (lambda c, p: c.read(f"{p}no"), tf.errors.NotFoundError, "Failed to find any matching fi"),
        (lambda c, p: c.restore(None).assert_consumed(), AssertionError, "No checkpoint specified"),
        (lambda c, p: c.read(p).assert_existing_objects_matched(), AssertionError, "Found 1 Pyth"),
        (lambda c, p: c.read(p).assert_nontrivial_match(), AssertionError, "Nothing except the r"),
        (lambda c, p: tf.train.Checkpoint(w=tf.Variable([1.0])).read(p), ValueError, "incompatib"),
        (lambda c, p: tf.train.Checkpoint(w=tf.Variable([1, 2])).read(p),
         tf.errors.InvalidArgumentError, "expected dtype int32 does not equal original"),
        (lambda c, p: tf.train.load_variable(p, "x"), tf.errors.NotFoundError, "Key x not found"),
        (lambda c, p: tf.train.CheckpointManager(c, ".", 0), ValueError, "positive integer or `No"),
    ],
)  # fmt: skip
def test_errors_are_those_of_tensorflow(tmp_path, action, error, words):
    path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).write(tmp_path / "c")
    checkpoint = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]))
    with pytest.raises(error, match=words):
        action(checkpoint, path)


@pytest.mark.parametrize("file", ["c.index", "c.data-00000-of-00001"])
def test_a_damaged_file_is_no_checkpoint(tmp_path, file):
    path = tf.train.Checkpoint(v=tf.Variable(np.arange(300.0))).write(tmp_path / "c")
    whole = (tmp_path / file).read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:-60] + b"\xff" + whole[-59:]):
        (tmp_path / file).write_bytes(damaged)
        with pytest.raises((tf.errors.DataLossError, ValueError)):
            tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")
