"""Models in files: what is written is read again, and what Keras wrote is read here.

`tests/fixtures/keras_files` holds models that Keras 3.15.1 saved after a step of training, each
with its predictions and the variables of its optimizer.
"""

import builtins
import io
import json
import warnings
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

import tapelab as tf

keras, layers = tf.keras, tf.keras.layers
FILES = Path(__file__).parents[2] / "fixtures" / "keras_files"
NAMES = ("attention", "branches", "nested", "operations", "sequences")


@keras.saving.register_keras_serializable(package="Tests")
class Block(layers.Layer):
    """A layer with layers in a list and in a dict, and a weight of its own."""

    def __init__(self, units, activation="relu", **kwargs):
        super().__init__(**kwargs)
        self.units, self.activation = units, keras.activations.get(activation)
        self.steps = [layers.Dense(units), layers.Dense(units)]
        self.heads = {"b": layers.Dense(1), "a": layers.Dense(1)}

    def build(self, input_shape):
        self.scale = self.add_weight(shape=(input_shape[-1],), name="scale", initializer="ones")
        for step, size in zip(self.steps, (input_shape[-1], self.units), strict=True):
            step.build((None, size))
        for head in self.heads.values():
            head.build((None, self.units))

    def call(self, x):
        x = x * self.scale
        for step in self.steps:
            x = step(x)
        x = self.activation(x)
        return self.heads["a"](x) + self.heads["b"](x)

    def get_config(self):
        activation = keras.activations.serialize(self.activation)
        return {**super().get_config(), "units": self.units, "activation": activation}


@keras.saving.register_keras_serializable()
class Network(keras.Model):
    """A subclass that is built when it is called."""

    def __init__(self, units=3, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.first, self.last = layers.Dense(units), keras.Sequential([layers.Dense(1)])

    def call(self, x):
        return self.last(self.first(x))

    def get_config(self):
        return {**super().get_config(), "units": self.units}


@pytest.fixture
def model():
    network = keras.Sequential(
        [keras.Input((4,)), Block(3), layers.BatchNormalization(), layers.Dense(1)]
    )
    network.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
    network.fit(np.ones((4, 4)), np.ones((4, 1)), verbose=0)
    return network


def inputs_of(network):
    random = np.random.RandomState(0)

    def array(symbol):
        return random.rand(2, *symbol.shape[1:]).astype("float32") * 4

    given = network.input
    if isinstance(given, dict):
        return {name: array(each) for name, each in given.items()}
    return [array(each) for each in given] if isinstance(given, list) else array(given)


def flat(outputs):
    return [np.asarray(each) for each in tf.nest.flatten(outputs)]


def stored_model(name):
    loss = {"Custom>myloss": keras.losses.mean_squared_error}  # which some were compiled with
    return keras.models.load_model(FILES / f"{name}.keras", loss)


@pytest.mark.parametrize("name", NAMES)
def test_a_model_of_keras_predicts_the_same_here_and_keeps_its_optimizer(name):
    network = keras.models.load_model(
        FILES / f"{name}.keras", {"Custom>myloss": tf.keras.losses.mean_squared_error}
    )
    with np.load(FILES / f"{name}.npz") as stored:
        wanted = [stored[f"arr_{at}"] for at in range(len(stored.files))]
    found = flat(network.predict(inputs_of(network), verbose=0))
    found += [each.numpy() for each in network.optimizer.variables]
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_has_the_groups_that_keras_writes(name, tmp_path):
    network = keras.models.load_model(
        FILES / f"{name}.keras", {"Custom>myloss": tf.keras.losses.mean_squared_error}
    )
    network.save(tmp_path / "m.keras")
    own, theirs = (shapes_in(file) for file in (tmp_path / "m.keras", FILES / f"{name}.keras"))
    assert own == theirs
    own, theirs = (config_in(file) for file in (tmp_path / "m.keras", FILES / f"{name}.keras"))
    assert (
        [each["name"] for each in own["config"]["layers"]]
        == [each["name"] for each in theirs["config"]["layers"]]
        if name != "sequences"
        else own["module"] == theirs["module"]
    )


def shapes_in(path):
    shapes = {}
    with zipfile.ZipFile(path) as archive:
        file = io.BytesIO(archive.read("model.weights.h5"))
    with h5py.File(file) as weights:
        weights.visititems(lambda name, item: shapes.update({name: getattr(item, "shape", 0)}))
    return {name: shape for name, shape in shapes.items() if shape != 0}


def config_in(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("config.json"))


def test_a_model_comes_back_with_weights_compilation_and_optimizer(model, tmp_path):
    model.save(tmp_path / "m.keras")
    again = keras.models.load_model(tmp_path / "m.keras")
    x = np.ones((2, 4))
    np.testing.assert_array_equal(again.predict(x, verbose=0), model.predict(x, verbose=0))
    assert again.evaluate(x, x[:, :1], verbose=0) == model.evaluate(x, x[:, :1], verbose=0)
    assert int(again.optimizer.iterations.numpy()) == 1
    for one, other in zip(again.optimizer.variables, model.optimizer.variables, strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy())
    assert isinstance(again.layers[0], Block)
    assert keras.models.load_model(tmp_path / "m.keras", compile=False).compiled is False


def test_a_folder_and_a_subclass_are_saved_too(tmp_path):
    network = Network(5)
    y = network(tf.ones((1, 2)))
    network.save(tmp_path / "m.keras")
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "m.keras")(tf.ones((1, 2))), y)
    network.save(tmp_path / "folder", zipped=False)
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "folder")(tf.ones((1, 2))), y)


def test_weights_go_into_a_file_of_their_own(model, tmp_path):
    model.save_weights(tmp_path / "m.weights.h5")
    kept = model.get_weights()
    model.set_weights([each * 0 for each in kept])
    model.load_weights(tmp_path / "m.weights.h5")
    for one, other in zip(model.get_weights(), kept, strict=True):
        np.testing.assert_array_equal(one, other)
    other = keras.Sequential([keras.Input((4,)), layers.Dense(2)])
    with pytest.raises(ValueError, match="1 objects could not be loaded"):
        other.load_weights(tmp_path / "m.weights.h5")
    with pytest.warns(UserWarning, match="1 objects could not be loaded"):
        other.load_weights(tmp_path / "m.weights.h5", skip_mismatch=True)


def test_a_graph_is_built_again_from_its_config():
    a, b = keras.Input((3,), name="a"), keras.Input((3,), name="b")
    shared = layers.Dense(2)
    x = 1 - layers.concatenate([shared(a), shared(b)]) / 2
    network = keras.Model({"a": a, "b": b}, [x, keras.ops.mean(x, axis=1)[:1]])
    again = keras.Model.from_config(network.get_config())
    again.set_weights(network.get_weights())
    data = {"a": tf.ones((2, 3)), "b": tf.zeros((2, 3))}
    for one, other in zip(again(data), network(data), strict=True):
        np.testing.assert_array_equal(one, other)
    assert keras.models.model_from_json(network.to_json()).get_config() == network.get_config()


def test_a_class_that_is_not_registered_must_be_given(tmp_path):
    class Mine(layers.Layer):
        def call(self, x):
            return x * 2.0

    keras.Sequential([keras.Input((2,)), Mine()]).save(tmp_path / "m.keras")
    with pytest.raises(TypeError, match=r"Could not locate class 'Mine'.*register_keras_serial"):
        keras.models.load_model(tmp_path / "m.keras")
    again = keras.models.load_model(tmp_path / "m.keras", custom_objects={"Mine": Mine})
    np.testing.assert_array_equal(again(tf.ones((1, 2))), [[2.0, 2.0]])


def test_no_code_of_a_file_is_run(tmp_path):
    for config, error in (
        ({"class_name": "__lambda__", "config": {"value": "x"}}, "does not run code"),
        ({"module": "os", "class_name": "function", "config": "system"}, "Could not locate"),
        ({"module": "subprocess", "class_name": "Popen", "config": {}}, "Could not locate"),
        ({"module": "keras.layers", "class_name": "__doc__", "config": {}}, "Could not locate"),
    ):
        with pytest.raises((TypeError, ValueError), match=error):
            keras.saving.deserialize_keras_object(config)
    with pytest.raises(TypeError, match="A lambda cannot be saved"):
        keras.Sequential([keras.Input((1,)), layers.Lambda(lambda x: x)]).save(tmp_path / "m.keras")


@pytest.mark.slow
def test_a_file_that_grows_or_leads_elsewhere_is_refused(model, tmp_path):
    path = tmp_path / "m.weights.h5"
    with h5py.File(path, "w") as file:
        group = file.create_group("vars")
        group.create_dataset("0", shape=(1 << 40,), dtype="f4", chunks=(1024,))
    with pytest.raises(ValueError, match="says to have 4398046511104 bytes"):
        model.load_weights(path)
    with h5py.File(path, "w") as file:
        file.create_group("vars").create_dataset("0", (2,), "f4", external=[("/etc/passwd", 0, 8)])
    with pytest.raises(ValueError, match="in other files"):
        model.load_weights(path)
    with zipfile.ZipFile(tmp_path / "m.keras", "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("config.json", "w", force_zip64=True) as text:
            for _ in range(1100):
                text.write(bytes(1 << 20))
        archive.writestr("model.weights.h5", b"")
    with pytest.raises(ValueError, match="is not unpacked"):
        keras.models.load_model(tmp_path / "m.keras")


@pytest.mark.parametrize(
    ("action", "error", "words"),
    [
        (lambda m, at: m.save(at / "m.txt"), ValueError, "add a `.keras` ext"),
        (lambda m, at: m.save_weights(at / "m.txt"), ValueError, r"must end in `.weights.h5`"),
        (lambda m, at: m.load_weights(at / "no.weights.h5"), FileNotFoundError, "no such file"),
        (lambda m, at: keras.models.load_model(at / "no.keras"), ValueError, "File not found"),
        (lambda m, at: keras.models.load_model(at / "no.txt"), ValueError, "not supported"),
        (lambda m, at: Network().save_weights(at / "m.weights.h5"), ValueError, "not yet been bu"),
    ],
)
def test_errors_say_what_to_do(model, tmp_path, action, error, words):
    with pytest.raises(error, match=words):
        action(model, tmp_path)


def test_without_h5py_the_error_names_the_command(model, tmp_path, monkeypatch):
    present = builtins.__import__

    def absent(name, *args, **kwargs):
        if name == "h5py":
            raise ImportError(name)
        return present(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ImportError, match="pip install h5py"):
        model.save_weights(tmp_path / "m.weights.h5")


def test_an_unbuilt_model_is_saved_with_a_warning(tmp_path):
    with pytest.warns(UserWarning, match="has not yet been built"):
        keras.Sequential([layers.Dense(1)]).save(tmp_path / "m.keras")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not keras.models.load_model(tmp_path / "m.keras").built
