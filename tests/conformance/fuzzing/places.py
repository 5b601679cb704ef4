"""Arguments of functions that pick entries, and that write at places."""

from __future__ import annotations

from math import prod

from .drawing import Drawn, floating, listed, one_axis
from .writer import Shape, Writer


def gather(w: Writer) -> Drawn:
    shape = w.one_of((3,), (3, 2), (2, 3), (2, 2, 3), (4,))
    axis = one_axis(w, len(shape)) if w.chance(0.5) else 0
    wanted = w.one_of((), (2,), (3,), (2, 2), (0,))
    if 0 in wanted:
        places = "tf.zeros([0], tf.int32)"
    else:
        count = prod(wanted)
        flat = [w.rng.randrange(shape[axis]) for _ in range(count)]
        rows = [flat[:2], flat[2:]] if wanted == (2, 2) else flat
        places = str(flat[0]) if not wanted else repr(rows)
        if w.chance(0.3):
            places = f"tf.constant({places}, tf.int64)"
    return [w.tensor(shape, w.dtype()), places], {"axis": str(axis)} if axis else {}


def embedding_lookup(w: Writer) -> Drawn:
    ids = [w.rng.randrange(3) for _ in range(w.one_of(1, 2, 3))]
    return [w.tensor((3, 2), floating(w)), repr(ids)], {}


def gather_nd(w: Writer) -> Drawn:
    places = w.one_of("[[0, 1], [1, 2]]", "[[1], [1]]", "[1, 2]", "[[[0, 0]], [[1, 1]]]", "[0]")
    return [w.tensor((2, 3), w.dtype()), places], {}


def boolean_mask(w: Writer) -> Drawn:
    shape = w.shape(least=1, most=2)
    depth = w.rng.randint(1, len(shape))
    return [w.tensor(shape, w.dtype()), w.literal(shape[:depth], "bool")], {}


def slice_(w: Writer) -> Drawn:
    shape = w.shape(least=1)
    begin = [w.rng.randint(0, n) for n in shape]
    size = [w.one_of(-1, w.rng.randint(0, n - b)) for n, b in zip(shape, begin, strict=True)]
    return [w.tensor(shape, w.dtype()), listed(w, begin), listed(w, size)], {}


def strided_slice(w: Writer) -> Drawn:
    shape = w.shape(least=1, most=2)
    begin = [w.rng.randint(0, max(n - 1, 0)) for n in shape]
    args = [w.tensor(shape, w.dtype()), repr(begin), repr(list(shape))]
    steps = [w.one_of(1, 2) for _ in shape]
    return args, {"strides": repr(steps)} if w.chance(0.5) else {}


def _places(w: Writer) -> tuple[str, Shape, Shape]:
    """Index tuples, the shape of what is written there, and of the whole."""
    return w.one_of(
        ("[[1], [3]]", (2,), (4,)), ("[[0], [0]]", (2,), (3,)), ("[[0, 1], [1, 2]]", (2,), (2, 3)),
        ("[[1], [0]]", (2, 3), (2, 3)), ("[[2]]", (1, 2), (3, 2)),
    )  # fmt: skip


def scatter_nd(w: Writer) -> Drawn:
    places, rows, whole = _places(w)
    return [places, w.tensor(rows, floating(w)), repr(list(whole))], {}


def written(w: Writer) -> Drawn:
    places, rows, whole = _places(w)
    if places == "[[0], [0]]":  # the winner of a place that is written twice is not fixed
        places = "[[0], [2]]"
    dtype = floating(w)
    return [w.tensor(whole, dtype), places, w.tensor(rows, dtype)], {}


def where(w: Writer) -> Drawn:
    shape = w.shape()
    condition = w.literal(w.partner(shape), "bool")
    if w.chance(0.15):
        return [w.literal(w.shape(least=1), "bool")], {}
    dtype = w.dtype()
    return [w.let("m", condition), w.tensor(shape, dtype), w.tensor(w.partner(shape), dtype)], {}


def one_hot(w: Writer) -> Drawn:
    settings = {}
    if w.chance(0.3):
        settings["axis"] = w.one_of("0", "-1")
    if w.chance(0.3):
        settings |= {"on_value": "2.0", "off_value": "0.5"}
    return [w.one_of("[0, 2, 1]", "1", "[[0], [5]]", "[-1, 0]"), w.one_of("3", "4")], settings


def sequence_mask(w: Writer) -> Drawn:
    return [w.one_of("[1, 0, 3]", "2", "[[1], [2]]")], {"maxlen": "4"} if w.chance(0.5) else {}


def unravel_index(w: Writer) -> Drawn:
    return [w.one_of("[0, 3, 5]", "4"), "[2, 3]"], {}


def top_k(w: Writer) -> Drawn:
    return [w.tensor(w.one_of((3,), (2, 3), (5,)), floating(w))], {"k": w.one_of("1", "2", "3")}


def searchsorted(w: Writer) -> Drawn:
    side = {"side": "'right'"} if w.chance(0.5) else {}
    return ["[1.0, 2.0, 2.0, 5.0]", w.tensor(w.one_of((2,), (3,)), "float32")], side


def dynamic_partition(w: Writer) -> Drawn:
    shape = w.one_of((3,), (3, 2))
    return [w.tensor(shape, w.dtype()), w.one_of("[0, 1, 0]", "[1, 1, 1]"), "2"], {}


def dynamic_stitch(w: Writer) -> Drawn:
    dtype = w.dtype()
    return ["[[0, 2], [1]]", f"[{w.tensor((2,), dtype)}, {w.tensor((1,), dtype)}]"], {}
