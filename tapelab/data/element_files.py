"""The elements of a Dataset in files: their structure as JSON, the tensors as records.

The files are tapelab's own; TensorFlow does not read them, nor does tapelab read TensorFlow's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapelab.data.dataset_elements import Element, is_structure, parts_of, rebuilt, spec
from tapelab.dtypes import BY_NUMPY, as_dtype
from tapelab.errors import NotFoundError
from tapelab.io.protobuf import field, message
from tapelab.io.record_files import TFRecordWriter, records_of
from tapelab.io.serialized import pack, unpack

SPEC: Final = "dataset_spec.json"
ELEMENTS: Final = "elements.tfrecord"


def write_elements(path: Path, elements: Iterable[Element], compression: str = "") -> None:
    """Write elements of dense tensors; NotImplementedError for ragged and sparse ones.

    The file appears when it is complete.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    with TFRecordWriter(os.fspath(part), compression) as writer:
        for element in elements:
            writer.write(b"".join(field(1, _packed(each)) for each in parts_of(element)))
    part.replace(path)


def read_elements(path: Path, structure: Any, compression: str = "") -> Iterator[Element]:
    """Yield the elements of a file, in the structure of a specification."""
    for record in records_of(os.fspath(path), compression):
        arrays = (np.asarray(unpack(each)[1]) for each in message(record).get(1, []))
        yield rebuilt(structure, arrays)


def write_spec(path: Path, element_spec: Any) -> None:
    """Write the structure of elements, with the shapes and dtypes of their tensors."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_as_data(element_spec)), encoding="utf-8")


def read_spec(path: Path) -> Any:
    """Return the specification of elements; NotFoundError if there is no such file."""
    if not path.exists():
        raise NotFoundError(
            None, "LoadDataset", f"tf.data snapshot element_spec file not found: {path}."
        )
    return _from_data(json.loads(path.read_text(encoding="utf-8")))


def _packed(part: Any) -> bytes:
    if not isinstance(part, (np.ndarray, np.generic)):
        raise NotImplementedError(
            "tapelab writes Datasets of dense tensors into files. Try to_tensor() or "
            "tf.sparse.to_dense() in map() before."
        )
    array = np.asarray(part)
    return pack(array, BY_NUMPY[array.dtype])


def _as_data(element_spec: Any) -> Any:
    if not is_structure(element_spec):
        if type(element_spec).__name__ != "TensorSpec":
            raise NotImplementedError(
                f"tapelab writes Datasets of dense tensors into files, not of {element_spec}."
            )
        shape = element_spec.shape
        return [None if shape.rank is None else shape.as_list(), element_spec.dtype.name]
    if isinstance(element_spec, tuple):
        return {"tuple": [_as_data(each) for each in element_spec]}
    return {"dict": [[key, _as_data(each)] for key, each in element_spec.items()]}


def _from_data(data: Any) -> Any:
    if isinstance(data, list):
        return spec(data[0], as_dtype(data[1]))
    if "tuple" in data:
        return tuple(map(_from_data, data["tuple"]))
    return {key: _from_data(each) for key, each in data["dict"]}
