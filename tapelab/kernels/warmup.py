"""Compiling every kernel ahead, so that no lesson waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.kernels.loader import kernel, read_only

_TAKES: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("sigmoid32", "silu32", "softplus32", "erf32"), ("x", "x")),
    **dict.fromkeys(
        ("sigmoid_vjp", "tanh_vjp", "softplus_vjp32", "silu_vjp32", "erf_vjp32",
         "sigmoid_cross_entropy32"), ("x", "x", "x"),
    ),
    **{f"compiled_softmax.{name}": takes for name, takes in {
        **dict.fromkeys(("softmax32", "log_softmax32"), ("rows", "rows")),
        **dict.fromkeys(("softmax_vjp", "log_softmax_vjp32"), ("rows", "rows", "rows")),
        "logsumexp32": ("rows", "x"),
        "scaled_softmax32": ("x", "rows", "rows"),
        "cross_entropy32": ("rows", "rows", "x"),
        "cross_entropy_vjp32": ("x", "rows", "rows", "rows"),
        "numbered_cross_entropy32": ("places", "rows", "x"),
    }.items()},
    "compiled_rows.add_rows": ("rows", "places", "rows"),
    **{f"compiled_normal.mean_square_{of}": ("rows", "x", "x") for of in ("rows", "columns")},
    **{f"compiled_normal.distance_{of}": ("x", "rows", "x", "rows") for of in ("rows", "columns")},
    **{f"compiled_normal.normalized_{of}": ("rows", *"xxxx", "rows") for of in ("rows", "columns")},
    **{f"compiled_normal.normalized_vjps_{of}": ("rows", "rows", *"xxx", "rows", *"xxxx")
       for of in ("rows", "columns")},
    **{f"compiled_normal.product_{of}": ("rows", "rows", "x") for of in ("rows", "columns")},
    **{f"compiled_windows.{name}": ("how", "picture", "picture")
       for name in ("max_pool", "windows_sum", "windows_spread")},
    "compiled_windows.largest_places": ("how", "picture", "counts"),
    "compiled_windows.put_back": ("rows", "counts of rows", "rows"),
    "compiled_windows.windows_back": ("how", "picture", "picture"),
    "compiled_windows.depthwise": ("how", "filters", "picture", "picture"),
    "compiled_windows.depthwise_input": ("how", "filters", "picture", "picture"),
    "compiled_windows.depthwise_filter": ("how", "picture", "picture", "sums"),
    **dict.fromkeys(("sine", "cosine"), ("doubles", "doubles")),
    "chosen": ("truths", "x", "x", "x"),
    "chosen_or_number": ("x", "truths", "x", "x"),
    "chosen_number": ("x", "truths", "x", "x"),
    "compiled_normal.layer_rows": ("one double", "x", "x", "rows", "rows"),
    "compiled_normal.layer_vjps": ("one double", "x", "rows", "rows", "rows", "x", "x"),
    "compiled_rows.larger_rows": ("rows", "places", "rows"),
    "compiled_rows.smaller_rows": ("rows", "places", "rows"),
    "compiled_normal.sum_rows": ("rows", "doubles"),
}  # fmt: skip
"""Each kernel with the arrays that it takes."""
_WRITES: Final = {
    "compiled_normal.normalized_vjps_rows": 5, "compiled_normal.normalized_vjps_columns": 5,
    "compiled_normal.layer_vjps": 3,
}  # fmt: skip
"""Into how many of its last arrays a kernel writes, where they are several."""
_ALSO_DOUBLE: Final = ("sigmoid_vjp", "tanh_vjp", "compiled_softmax.softmax_vjp",
                       "compiled_rows.add_rows")  # fmt: skip


def compile_all(progress: Callable[[int, int], Any] = lambda done, total: None) -> int:
    """Compile each kernel for the dtypes that lessons use; tells `progress` how far it is.

    What is in numba's cache on disk is loaded from there. Returns how many kernels are ready;
    ImportError where numba is missing.
    """
    wanted: list[tuple[str, Any]] = [(name, np.float32) for name in _TAKES]
    wanted += [(name, np.float64) for name in _ALSO_DOUBLE]
    for done, (name, dtype) in enumerate(wanted):
        progress(done, len(wanted))
        arrays = _arrays(_TAKES[name], dtype)
        read = len(arrays) - _WRITES.get(name, 1)
        kernel(name)(*read_only(arrays[: read + 1]), *arrays[read + 1 :])
    progress(len(wanted), len(wanted))
    return len(wanted)


def _arrays(kinds: tuple[str, ...], dtype: Any) -> list[Any]:
    """Small arrays of the kinds that a kernel takes."""
    arrays = {
        "x": np.ones(2, dtype), "rows": np.ones((2, 2), dtype), "places": np.zeros(2, np.int64),
        "doubles": np.ones(2), "one double": np.ones(1), "truths": np.ones(2, bool),
        "picture": np.ones((1, 2, 2), dtype),
        "counts": np.zeros((1, 2, 2), np.int32), "counts of rows": np.zeros((2, 2), np.int32),
        "sums": np.ones((1, 1, 2)),
        "how": np.array([1, 1, 1, 1, 1, 1, 0, 0, 1]), "filters": np.ones((1, 1, 2), dtype),
    }  # fmt: skip
    return [arrays[kind].copy() for kind in kinds]
