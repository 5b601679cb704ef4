"""Arguments of functions that make, shape, join and pick: their lengths depend on one another."""

from __future__ import annotations

from math import prod

from .drawing import FLOATING, Drawn, floating, listed, one_axis
from .writer import Shape, Writer


def reshape(w: Writer) -> Drawn:
    shape = w.shape()
    size = prod(shape)
    choices: list[Shape] = [(size,), (-1,), (1, size), (size, 1), (-1, 1), shape[::-1]]
    if size == 6:
        choices += [(2, 3), (3, -1), (6, 1), (1, 2, -1)]
    if size == 1:
        choices += [(), (1, 1)]
    return [w.tensor(shape, w.dtype()), listed(w, w.rng.choice(choices))], {}


def transpose(w: Writer) -> Drawn:
    shape = w.shape()
    order = list(range(len(shape)))
    w.rng.shuffle(order)
    order = [each - len(shape) if w.chance(0.1) else each for each in order]
    x = w.tensor(shape, w.dtype())
    return [x], {"perm": listed(w, order)} if w.chance(0.7) else {}


def expand_dims(w: Writer) -> Drawn:
    shape = w.shape(most=2)
    axis = w.rng.randint(-len(shape) - 1, len(shape))
    return [w.tensor(shape, w.dtype()), str(axis)], {}


def squeeze(w: Writer) -> Drawn:
    shape = w.one_of((1, 3), (2, 1), (1,), (1, 2, 1), (2, 3), (), (1, 1), (1, 0))
    ones = [at for at, n in enumerate(shape) if n == 1]
    x = w.tensor(shape, w.dtype())
    chosen = w.rng.sample(ones, w.rng.randint(0, len(ones)))
    chosen = [each - len(shape) if w.chance(0.3) else each for each in chosen]
    return [x], {"axis": repr(chosen)} if w.chance(0.6) else {}


def broadcast_to(w: Writer) -> Drawn:
    shape = w.shape()
    small = w.partner(shape)
    big = shape if len(small) <= len(shape) else small
    return [w.tensor(small, w.dtype()), listed(w, big)], {}


def concat(w: Writer) -> Drawn:
    shape, dtype = w.shape(least=1), w.dtype()
    axis = one_axis(w, len(shape))
    parts = []
    for _ in range(w.one_of(1, 2, 2, 3)):
        other = list(shape)
        other[axis] = w.one_of(shape[axis], 1, 2, 0)
        parts.append(w.tensor(tuple(other), dtype))
    return [f"[{', '.join(parts)}]", str(axis)], {}


def stack(w: Writer) -> Drawn:
    shape, dtype = w.shape(most=2), w.dtype()
    parts = [w.tensor(shape, dtype) for _ in range(w.one_of(1, 2, 3))]
    axis = w.rng.randint(-len(shape) - 1, len(shape))
    return [f"[{', '.join(parts)}]"], {"axis": str(axis)} if w.chance(0.7) else {}


def unstack(w: Writer) -> Drawn:
    shape = w.shape(least=1)
    return [w.tensor(shape, w.dtype())], {"axis": str(one_axis(w, len(shape)))}


def split(w: Writer) -> Drawn:
    shape, pieces, axis = w.one_of(
        ((3,), 3, 0), ((2, 3), [1, 2], 1), ((2, 3), 2, 0), ((2, 3), [1, -1], -1), ((3,), [3], 0),
        ((2, 2, 3), 3, -1), ((3,), [0, 3], 0), ((0, 3), 1, 0),
    )  # fmt: skip
    return [w.tensor(shape, w.dtype()), repr(pieces)], {"axis": str(axis)}


def tile(w: Writer) -> Drawn:
    shape = w.shape(most=2)
    return [w.tensor(shape, w.dtype()), listed(w, [w.one_of(1, 2, 3, 0) for _ in shape])], {}


def repeat(w: Writer) -> Drawn:
    shape = w.shape()
    x = w.tensor(shape, w.dtype())
    if not shape or w.chance(0.3):
        return [x, w.one_of("2", "3", "1", "0")], {}
    axis = one_axis(w, len(shape))
    each = repr([w.one_of(0, 1, 2) for _ in range(shape[axis])])
    return [x, w.one_of("2", "[2]", each)], {"axis": str(axis)}


def pad(w: Writer) -> Drawn:
    shape = w.shape(least=1)
    mode = w.one_of("CONSTANT", "CONSTANT", "REFLECT", "SYMMETRIC")
    most = 1 if mode != "CONSTANT" else 2
    paddings = [[w.rng.randint(0, most), w.rng.randint(0, most)] for _ in shape]
    settings = {} if mode == "CONSTANT" and w.chance(0.7) else {"mode": repr(mode)}
    if mode == "CONSTANT" and w.chance(0.3):
        settings["constant_values"] = w.one_of("1", "2.5", "-1")
    return [w.tensor(shape, floating(w)), repr(paddings)], settings


def reverse(w: Writer) -> Drawn:
    shape = w.shape()
    axes = w.rng.sample(range(len(shape)), w.rng.randint(0, len(shape)))
    axes = [each - len(shape) if w.chance(0.4) else each for each in axes]
    return [w.tensor(shape, w.dtype()), repr(axes)], {}


def roll(w: Writer) -> Drawn:
    shape = w.shape(least=1)
    x, axis = w.tensor(shape, w.dtype()), one_axis(w, len(shape))
    if w.chance(0.6):
        return [x, str(w.rng.randint(-4, 4)), str(axis)], {}
    return [x, f"[{w.rng.randint(-4, 4)}, 1]", f"[{axis}, 0]"], {}


def clip_by_value(w: Writer) -> Drawn:
    dtype = w.one_of(*FLOATING, "int32")
    whole = dtype == "int32"
    low, high = ("-1", "2") if whole else ("-0.5", "0.7")
    return [w.tensor(w.shape(), dtype), low, high], {}


def cast(w: Writer) -> Drawn:
    wanted = w.dtype()
    given = w.dtype()
    while wanted.startswith("u") and given != wanted:  # below 0 that is not defined
        wanted = w.dtype()
    return [w.tensor(w.shape(), given), f"tf.{wanted}"], {}


def complex_(w: Writer) -> Drawn:
    shape, dtype = w.shape(), floating(w)
    return [w.tensor(shape, dtype), w.tensor(w.partner(shape), dtype)], {}


def fill(w: Writer) -> Drawn:
    value = w.tensor((), w.dtype()) if w.chance(0.5) else w.one_of("2.5", "3", "True")
    return [repr(list(w.shape())), value], {}


def range_(w: Writer) -> Drawn:
    texts = w.one_of(
        ["4"], ["1", "5"], ["5", "1", "-2"], ["0.0", "1.0", "0.25"], ["3.0"], ["1", "4.0"],
        ["0", "5", "2"], ["0"], ["tf.constant(1.5)", "4"],
    )  # fmt: skip
    settings = {"dtype": f"tf.{w.one_of('float32', 'int64', 'float64')}"} if w.chance(0.2) else {}
    return list(texts), settings


def linspace(w: Writer) -> Drawn:
    dtype = floating(w)
    return [w.tensor((), dtype), w.tensor((), dtype), w.one_of("1", "2", "5")], {}


def eye(w: Writer) -> Drawn:
    settings = {"num_columns": w.one_of("2", "4", "0")} if w.chance(0.4) else {}
    if w.chance(0.2):
        settings["batch_shape"] = "[2]"
    if w.chance(0.3):
        settings["dtype"] = f"tf.{w.one_of('float64', 'int32', 'bool')}"
    return [w.one_of("2", "3", "0")], settings


def meshgrid(w: Writer) -> Drawn:
    dtype = floating(w)
    count = w.one_of(1, 2, 2, 3)
    vectors = [w.tensor(w.one_of((2,), (3,), (1,)), dtype) for _ in range(count)]
    return vectors, {"indexing": "'ij'"} if w.chance(0.4) else {}


def shapes(w: Writer) -> Drawn:
    shape = w.shape()
    return [repr(list(shape)), repr(list(w.partner(shape)))], {}


def static_shapes(w: Writer) -> Drawn:
    args, _ = shapes(w)
    return [f"tf.TensorShape({each})" for each in args], {}


def boosted(w: Writer) -> Drawn:
    shape = w.shape(least=1)
    return [w.tensor(shape, w.dtype()), repr(list(shape))], {}


def constant(w: Writer) -> Drawn:
    dtype, shape = w.dtype(), w.shape()
    settings = {"dtype": f"tf.{w.dtype()}"} if w.chance(0.5) else {}
    if w.chance(0.1):
        settings["shape"] = repr(list(w.shape()))
    return [w.foreign(shape, dtype)], settings


def converted(w: Writer) -> Drawn:
    args, settings = constant(w)
    return args, {name: text for name, text in settings.items() if name == "dtype"}


def dtypes(w: Writer) -> Drawn:
    return [w.one_of("'float32'", "np.int64", "float", "bool", "tf.int8", "int", "'nothing'")], {}


def bitcast(w: Writer) -> Drawn:
    given, wanted = w.one_of(("float32", "int32"), ("int64", "float64"), ("int32", "float32"))
    return [w.tensor(w.shape(), given), f"tf.{wanted}"], {}
