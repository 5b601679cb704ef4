"""Arguments of functions of matrices, of images and of the scores of a network."""

from __future__ import annotations

from .drawing import FLOATING, Drawn, floating, one_axis
from .writer import Writer


def matmul(w: Writer) -> Drawn:
    batch = w.one_of((), (), (), (2,), (1,))
    n, k, m = (w.one_of(0, 1, 2, 3, 2, 3) for _ in range(3))
    ta, tb = w.chance(0.25), w.chance(0.25)
    dtype = w.one_of(*FLOATING, "int32", "complex64", "float16")
    a = (*batch, *((k, n) if ta else (n, k)))
    b = (*(batch if w.chance(0.7) else ()), *((m, k) if tb else (k, m)))
    named = {"transpose_a": ta, "transpose_b": tb}
    settings = {name: "True" for name, wanted in named.items() if wanted}
    return [w.tensor(a, dtype), w.tensor(b, dtype)], settings


def matvec(w: Writer) -> Drawn:
    n, k = w.one_of(1, 2, 3), w.one_of(1, 2, 3)
    dtype, turned = floating(w), w.chance(0.3)
    a = w.tensor((k, n) if turned else (n, k), dtype)
    return [a, w.tensor((k,), dtype)], {"transpose_a": "True"} if turned else {}


def tensordot(w: Writer) -> Drawn:
    dtype = floating(w)
    case = w.one_of(
        ((2, 3), (3, 2), 1), ((2, 3), (2, 3), [[0, 1], [0, 1]]), ((3,), (3,), 1),
        ((2, 3), (2,), [[0], [0]]), ((2, 2, 3), (3, 2), [[-1, 0], [0, 1]]), ((2,), (3,), 0),
        ((2, 3), (3, 2), [[-1], [-2]]), ((), (3,), 0), ((2, 3), (2, 3), 2), ((2, 3), (3,), [1, 0]),
    )  # fmt: skip
    return [w.tensor(case[0], dtype), w.tensor(case[1], dtype), repr(case[2])], {}


def einsum(w: Writer) -> Drawn:
    equation, *shapes = w.one_of(
        ("ij,jk->ik", (2, 3), (3, 2)), ("ij->ji", (2, 3)), ("ij->", (2, 3)), ("i,i->", (3,), (3,)),
        ("i,j->ij", (2,), (3,)), ("bij,bjk->bik", (2, 2, 3), (2, 3, 1)), ("ii->i", (2, 2)),
        ("ij,j", (2, 3), (3,)), ("...ij,...jk->...ik", (2, 2, 3), (3, 2)), ("ii", (2, 2)),
        ("ij,ij->i", (2, 3), (2, 3)), ("ij,kj->ik", (2, 3), (1, 3)), ("ij->j", (0, 3)),
        ("ij,jk,kl->il", (2, 3), (3, 2), (2, 2)), ("i->i", (3,)),
    )  # fmt: skip
    dtype = floating(w)
    return [repr(equation), *(w.tensor(shape, dtype) for shape in shapes)], {}


def cross(w: Writer) -> Drawn:
    shape, dtype = w.one_of((3,), (2, 3)), floating(w)
    return [w.tensor(shape, dtype), w.tensor(shape, dtype)], {}


def square_matrix(w: Writer, dtype: str, size: int = 2) -> str:
    """A well-conditioned matrix: twice the identity and something small."""
    rows = [
        [f"{w.rng.uniform(-0.4, 0.4) + 2 * (i == j):.3f}" for j in range(size)] for i in range(size)
    ]
    text = ", ".join(f"[{', '.join(row)}]" for row in rows)
    plain = f"[{text}]" if w.chance(0.8) else f"[[{text}], [{text}]]"
    return w.let("x", f"tf.constant({plain}, tf.{dtype})")


def of_a_matrix(w: Writer) -> Drawn:
    return [square_matrix(w, floating(w), w.one_of(1, 2, 2, 3))], {}


def symmetric(w: Writer) -> Drawn:
    b, dtype = f"{w.rng.uniform(-0.5, 0.5):.3f}", floating(w)
    return [w.let("x", f"tf.constant([[2.0, {b}], [{b}, 1.5]], tf.{dtype})")], {}


def solved(w: Writer) -> Drawn:
    dtype = floating(w)
    matrix = square_matrix(w, dtype)
    batch = (2,) if len(w.scope[matrix].shape) == 3 else ()
    return [matrix, w.tensor((*batch, 2, w.one_of(1, 2)), dtype)], {}


def set_diag(w: Writer) -> Drawn:
    dtype = floating(w)
    return [w.tensor((2, 3), dtype), w.tensor((2,), dtype)], {}


def tensor_diag(w: Writer) -> Drawn:
    return [w.tensor(w.one_of((3,), (2,), (1, 2)), floating(w))], {}


def segments(w: Writer) -> Drawn:
    shape = w.one_of((3,), (3, 2))
    ids = w.one_of("[0, 0, 1]", "[0, 1, 2]", "[0, 0, 0]")
    return [w.tensor(shape, floating(w)), ids], {}


def unsorted_segments(w: Writer) -> Drawn:
    args, _ = segments(w)
    return [args[0], w.one_of("[2, 0, 2]", "[1, -1, 0]", args[1]), w.one_of("3", "4")], {}


def bincount(w: Writer) -> Drawn:
    return ["[1, 1, 3, 0]"], {"minlength": "6"} if w.chance(0.3) else {}


def polyval(w: Writer) -> Drawn:
    return [w.one_of("[2.0, 1.0]", "[1.0, 0.0, -1.5]"), w.tensor(w.shape(), "float32")], {}


def cross_entropy(w: Writer) -> Drawn:
    shape, dtype = w.one_of((3,), (2, 3)), floating(w)
    return [w.tensor(shape, dtype, positive=True), w.tensor(shape, dtype)], {}


def sparse_cross_entropy(w: Writer) -> Drawn:
    shape = w.one_of((3,), (2, 3))
    labels = "2" if len(shape) == 1 else w.one_of("[0, 2]", "[1, 1]")
    return [labels, w.tensor(shape, floating(w))], {}


def weighted_cross_entropy(w: Writer) -> Drawn:
    args, _ = cross_entropy(w)
    return [*args, w.one_of("2.0", "0.5")], {}


def batch_normalization(w: Writer) -> Drawn:
    dtype = floating(w)
    x, mean, offset = (w.tensor(shape, dtype) for shape in ((2, 3), (3,), (3,)))
    variance = w.tensor((3,), dtype, positive=True)
    return [x, mean, variance, offset, w.one_of("None", w.tensor((3,), dtype)), "1e-3"], {}


def bias_add(w: Writer) -> Drawn:
    dtype = floating(w)
    return [w.tensor(w.one_of((2, 3), (2, 2, 3)), dtype), w.tensor((3,), dtype)], {}


def moments(w: Writer) -> Drawn:
    shape = w.shape(least=1)
    axes = sorted(w.rng.sample(range(len(shape)), w.rng.randint(1, len(shape))))
    return [w.tensor(shape, floating(w)), repr(axes)], {"keepdims": "True"} if w.chance(0.4) else {}


def conv1d(w: Writer) -> Drawn:
    dtype = floating(w)
    x, kernel = w.tensor((1, 4, 2), dtype), w.tensor((2, 2, 1), dtype)
    return [x, kernel, w.one_of("1", "2"), w.one_of("'SAME'", "'VALID'")], {}


def conv2d(w: Writer) -> Drawn:
    dtype = floating(w)
    x, kernel = w.tensor((1, 3, 3, 1), dtype), w.tensor((2, 2, 1, 2), dtype)
    return [x, kernel, w.one_of("1", "2", "[1, 1, 1, 1]"), w.one_of("'SAME'", "'VALID'")], {}


def conv(w: Writer) -> Drawn:
    dtype = floating(w)
    x, kernel = w.tensor((1, 3, 3, 1), dtype), w.tensor((2, 2, 1, 2), dtype)
    return [x, kernel, "[1, 1, 1, 1]", w.one_of("'SAME'", "'VALID'")], {}


def conv2d_transpose(w: Writer) -> Drawn:
    dtype = floating(w)
    x, kernel = w.tensor((1, 2, 2, 2), dtype), w.tensor((2, 2, 1, 2), dtype)
    return [x, kernel, "[1, 4, 4, 1]", "2"], {}


def pooled(w: Writer) -> Drawn:
    x = w.tensor((1, 4, 4, 1), floating(w))
    return [x, w.one_of("2", "3"), w.one_of("1", "2"), w.one_of("'SAME'", "'VALID'")], {}


def images(w: Writer) -> Drawn:
    return [w.tensor((1, 2, 2, 3), "float32"), "1.5"], {}


def scalar_mul(w: Writer) -> Drawn:
    dtype = floating(w)
    scalar = w.number(dtype) if w.chance(0.5) else w.tensor((), dtype)
    return [scalar, w.tensor(w.shape(), dtype)], {}


def norm(w: Writer) -> Drawn:
    shape = w.shape()
    settings: dict[str, str] = {}
    if w.chance(0.4):
        settings["ord"] = w.one_of("1", "2", "np.inf", "'euclidean'", "3.0")
    if shape and w.chance(0.6):
        settings["axis"] = str(one_axis(w, len(shape)))
    if w.chance(0.2):
        settings["keepdims"] = "True"
    return [w.tensor(shape, floating(w))], settings


def compared(w: Writer) -> Drawn:
    shape, dtype = w.shape(), floating(w)
    x = w.tensor(shape, dtype)
    return [x, x if w.chance(0.6) else w.tensor(w.partner(shape), dtype)], {}
