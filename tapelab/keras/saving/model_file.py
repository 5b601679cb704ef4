"""Models in files: `.keras` (a zip of config and weights), `.weights.h5`, and the older `.h5`."""

from __future__ import annotations

import io
import json
import tempfile
import warnings
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapelab.keras.saving.hdf5_file import EXPANSION, LARGE, read_state, write_state
from tapelab.keras.saving.saved_state import parts_of, restore_state, saved_state
from tapelab.keras.serialization import deserialize_keras_object, serialize_keras_object

CONFIG: Final = "config.json"
METADATA: Final = "metadata.json"
WEIGHTS: Final = "model.weights.h5"
ASSETS: Final = "assets"
KERAS_VERSION: Final = "3.15.1"
"""The release of Keras whose format is written."""


def save_model(
    model: Any, filepath: Any, overwrite: bool = True, zipped: bool | None = None, **unused: Any
) -> None:
    """Write a model to a file: its config, its weights, and the state of its optimizer."""
    if unused.pop("save_format", None):
        raise ValueError(
            "The `save_format` argument is deprecated. Please remove this argument and pass a file "
            "path with the `.keras` extension."
        )
    if unused:
        raise ValueError(f"The following argument(s) are not supported: {list(unused)}")
    if zipped is False and str(filepath).endswith(".keras"):
        raise ValueError(
            "When using `zipped=False`, the `filepath` argument should not end in `.keras`. "
            f"Received: filepath={filepath}"
        )
    path = _free(filepath, overwrite)
    zipped = True if zipped is None else zipped
    if zipped and path.suffix != ".keras":
        raise ValueError(
            "Invalid filepath extension for saving. Please add a `.keras` extension: whole models "
            "are written in the native Keras format alone, not as `.h5` or SavedModel. "
            f"Received: filepath={filepath}."
        )
    if not model.built:
        warnings.warn(
            "You are saving a model that has not yet been built. It might not contain any weights "
            "yet. Consider building the model first by calling it on some data.",
            stacklevel=3,
        )
    files = _files_of(model)
    if not zipped:
        for name, content in files.items():
            target = path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        return
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def _files_of(model: Any) -> dict[str, bytes]:
    """The contents of the archive by name."""
    config = json.dumps(serialize_keras_object(model))
    saved = datetime.now().astimezone().strftime("%Y-%m-%d@%H:%M:%S")
    weights = io.BytesIO()
    write_state(weights, saved_state(model))
    return {
        METADATA: json.dumps({"keras_version": KERAS_VERSION, "date_saved": saved}).encode(),
        CONFIG: config.encode(),
        WEIGHTS: weights.getvalue(),
        **_assets_of(model),
    }


def _assets_of(model: Any) -> dict[str, bytes]:
    """The files that `save_assets` of layers writes."""
    files = {}
    for path, part in parts_of(model):
        if hasattr(part, "save_assets"):
            with tempfile.TemporaryDirectory() as folder:
                part.save_assets(folder)
                for file in sorted(Path(folder).rglob("*")):
                    if file.is_file():
                        inner = file.relative_to(folder).as_posix()
                        files[f"{ASSETS}/{path}/{inner}"] = file.read_bytes()
    return files


def load_model(
    filepath: Any, custom_objects: Any = None, compile: bool = True, safe_mode: bool = True
) -> Any:
    """Return the model of a file that `model.save` wrote, here or in Keras.

    Classes and functions of yours must be registered, or given in `custom_objects`.
    """
    del safe_mode  # no file is ever run
    path = Path(filepath)
    if path.is_dir() and (path / CONFIG).is_file():
        return _load_folder(path, custom_objects, compile=compile)
    if path.suffix != ".keras":
        raise ValueError(
            f"File format not supported: filepath={filepath}. Whole models are read from `.keras` "
            "files; legacy `.h5` files and SavedModel folders are not read. Save the model again "
            "with `model.save('model.keras')`."
        )
    if not zipfile.is_zipfile(path):
        raise ValueError(
            f"File not found: filepath={filepath}. Please ensure the file is an accessible "
            "`.keras` zip file."
        )
    with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
        _extract(archive, folder, CONFIG, WEIGHTS)
        return _load_folder(Path(folder), custom_objects, compile=compile)


def _extract(archive: zipfile.ZipFile, folder: str, *required: str) -> None:
    """Unpack the files of a model; ValueError if one is missing or grows beyond all bounds."""
    there = archive.namelist()
    for name in required:
        if name not in there:
            raise ValueError(f"{archive.filename} is no file of Keras: it contains no {name}.")
    for name in [*required, *(each for each in there if each.startswith(f"{ASSETS}/"))]:
        info = archive.getinfo(name)
        if info.file_size > max(LARGE, EXPANSION * info.compress_size):
            raise ValueError(
                f"{archive.filename} is not unpacked: its {name} grows from {info.compress_size} "
                f"to {info.file_size} bytes."
            )
        archive.extract(info, folder)


def _load_folder(folder: Path, custom_objects: Any, *, compile: bool) -> Any:
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    if not compile:
        config.pop("compile_config", None)
    model = deserialize_keras_object(config, custom_objects)
    for path, part in parts_of(model):
        assets = folder / ASSETS / path
        if hasattr(part, "load_assets") and assets.is_dir():
            part.load_assets(str(assets))
    restore_state(model, read_state(str(folder / WEIGHTS)))
    return model


def save_weights(
    model: Any, filepath: Any, overwrite: bool = True, objects_to_skip: Any = None
) -> None:
    """Write the weights of a model to a `.weights.h5` file; by their order alone to an `.npz`.

    Those of `objects_to_skip` and of the layers in them are left out.
    """
    if not str(filepath).endswith((".weights.h5", ".npz")):
        raise ValueError(f"The filename must end in `.weights.h5`. Received: filepath={filepath}")
    path = _free(filepath, overwrite)
    if not model.built:
        raise ValueError(
            "You are saving a model that has not yet been built. Try building the model first by "
            "calling it on some data or by using `build()`."
        )
    if path.suffix == ".npz":
        np.savez(path, *model.get_weights())
    else:
        write_state(str(path), saved_state(model, objects_to_skip or ()))


def load_weights(model: Any, filepath: Any, skip_mismatch: bool = False, **unused: Any) -> None:
    """Read the weights of a `.weights.h5` or `.keras` file, from here or from Keras."""
    if unused.keys() - {"by_name", "objects_to_skip"}:
        raise ValueError(f"Invalid keyword arguments: {unused}")
    path = Path(filepath)
    if not path.name.endswith((".weights.h5", ".keras", ".npz")):
        raise ValueError(
            f"File format not supported: filepath={filepath}. Keras 3 only supports V3 `.keras` "
            "and `.weights.h5` files."
        )
    if not model.built:
        raise ValueError(
            "You are loading weights into a model that has not yet been built. Try building the "
            "model first by calling it on some data or by using `build()`."
        )
    if not path.is_file():
        raise FileNotFoundError(f"Unable to open file (no such file): '{path}'")
    if path.suffix == ".keras":
        with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
            _extract(archive, folder, WEIGHTS)
            state = read_state(str(Path(folder) / WEIGHTS))
    elif zipfile.is_zipfile(path):  # an npz file, as tapelab 0.1 wrote under both names
        with np.load(path, allow_pickle=False) as arrays:
            model.set_weights([arrays[f"arr_{at}"] for at in range(len(arrays.files))])
        return
    else:
        state = read_state(str(path))
    skipped = unused.get("objects_to_skip") or ()
    restore_state(model, state, skip_mismatch=skip_mismatch, skipped=skipped)


def _free(filepath: Any, overwrite: bool) -> Path:
    """The path of a file to write; FileExistsError if it may not be replaced."""
    path = Path(filepath)
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists. Pass overwrite=True to replace it.")
    return path
