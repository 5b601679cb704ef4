"""The entries of a sparse tensor as tensors that have a history: picked and placed.

Indices are whole numbers without a gradient, so what is done with them is plain NumPy; what is
done with the entries are ops, so that every path leads back to `values`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.core.tensor import Tensor
from tapelab.ops import samples

Places = Any


def picks(rng: np.random.Generator) -> list[samples.Sample]:
    """Rows of entries with the places to pick, some of them twice."""
    return [
        ((rng.normal(size=(4,)),), {"places": np.array([2, 0, 2])}),
        ((rng.normal(size=(3, 2)),), {"places": np.array([1])}),
        ((rng.normal(size=(2,)),), {"places": np.array([], int)}),
    ]


def puts(rng: np.random.Generator) -> list[samples.Sample]:
    """Rows of entries with the places to put them, some of them shared."""
    return [
        ((rng.normal(size=(3,)),), {"places": np.array([2, 0, 2]), "count": 4}),
        ((rng.normal(size=(2, 2)),), {"places": np.array([1, 1]), "count": 2}),
    ]


@op(formula=r"y = \operatorname{pick}(x)", glyph="pick", title="Pick entries", samples=picks,
    reference=lambda x, places: np.take(x, places, 0))  # fmt: skip
def pick_entries(x: Any, *, places: Places) -> Any:
    """The entries at some places along the first axis; picked twice, both gradients come back."""
    return x[places]


@pick_entries.grad("x", r"\bar x = \operatorname{put}(\bar y)")
def pick_entries_grad_x(dy: Any, y: Any, x: Any, *, places: Places) -> Any:
    """A gradient goes back to the place its entry came from."""
    return put_entries(dy, places=places, count=x.shape[0])


@op(formula=r"y = \operatorname{put}(x)", glyph="put", title="Put entries", samples=puts)
def put_entries(x: Any, *, places: Places, count: int) -> Any:
    """The entries at their places in a row of zeros; what shares a place is added."""
    whole = np.zeros((count, *x.shape[1:]), x.dtype)
    np.add.at(whole, places, x)
    return whole


@put_entries.grad("x", r"\bar x = \operatorname{pick}(\bar y)")
def put_entries_grad_x(dy: Any, y: Any, x: Any, *, places: Places, count: int) -> Any:
    """Each entry receives the gradient of the place it was put at."""
    return pick_entries(dy, places=places)


def picked(x: Tensor, places: Places) -> Tensor:
    """The entries at some places."""
    made: Tensor = pick_entries(x, places=np.asarray(places))
    return made


def put(x: Tensor, places: Places, count: int) -> Tensor:
    """The entries at their places in a row of so many, added up where a place is shared."""
    made: Tensor = put_entries(x, places=np.asarray(places), count=int(count))
    return made
