"""HDF5 files of arrays by path, as Keras lays them out: group `path/vars`, datasets `0`, `1`, …

They are read with care, as they may come from anywhere: links to other files are refused, and so is
a dataset that says to be far larger than what the file holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.dtypes import bfloat16

VARS: Final = "vars"
LARGE: Final = 1 << 30
"""Bytes above which a dataset may not be much larger than what the file stores of it."""
EXPANSION: Final = 1000

Store = dict[str, NDArray[Any]]


def hdf5() -> Any:
    """Return the module h5py; ImportError with the command that installs it."""
    try:
        import h5py
    except ImportError as error:
        raise ImportError(
            "Keras's files (.keras, .weights.h5) are HDF5 files, which the package h5py reads and "
            "writes. Install it with: pip install h5py"
        ) from error
    return h5py


def write_state(file: str | IO[bytes], state: Mapping[str, tuple[str, Store]]) -> None:
    """Write the names and arrays of parts by their paths."""
    with hdf5().File(file, "w") as target:
        for path, (name, arrays) in state.items():
            group = target.create_group(f"{path}/{VARS}" if path else VARS)
            if name:
                group.attrs["name"] = name
            for key, array in arrays.items():
                dataset = group.create_dataset(key, data=array)
                if array.dtype == bfloat16.as_numpy_dtype:
                    dataset.attrs["dtype"] = "bfloat16"


def read_state(file: str | IO[bytes]) -> dict[str, Store]:
    """Return the arrays of parts by their paths."""
    h5py = hdf5()
    state: dict[str, Store] = {}

    def visit(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            path, _, key = name.rpartition("/")
            path = path.removesuffix(VARS).rstrip("/")
            state.setdefault(path, {})[key] = array_of(item)

    with h5py.File(file, "r") as source:
        source.visititems(visit)  # follows no links
    return state


def array_of(dataset: Any) -> NDArray[Any]:
    """Return the array of a dataset; ValueError if it is not all in the file."""
    if dataset.external or dataset.is_virtual:
        raise ValueError(f"The dataset {dataset.name} lies in other files, which are not read.")
    stored = dataset.id.get_storage_size()
    if dataset.nbytes > max(LARGE, EXPANSION * stored):
        raise ValueError(
            f"The dataset {dataset.name} says to have {dataset.nbytes} bytes, of which the file "
            f"stores {stored}. It is not read."
        )
    if dataset.attrs.get("dtype") == "bfloat16":
        stored_array = np.asarray(dataset[()])
        if stored_array.dtype.kind == "V":  # two bytes of each, which HDF5 has no number for
            return stored_array.view(bfloat16.as_numpy_dtype)
        return stored_array.astype(bfloat16.as_numpy_dtype)
    return np.asarray(dataset[()])
