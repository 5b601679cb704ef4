"""The matrix product and its generalisation, the sum of products named by letters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tapelab.core.batching import BatchedCall, Operand, reshaped
from tapelab.core.numerics import is_brain_float, widened
from tapelab.core.op import op
from tapelab.core.text_forms import brackets, spoken
from tapelab.errors import NotFoundError, OpError, invalid_argument
from tapelab.ops import samples
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.broadcasting import sum_to
from tapelab.ops.rules import NUMBERS
from tapelab.ops.shapes import transpose

matrices = samples.normals(
    ((2, 3), (3, 4), {"transpose_a": False, "transpose_b": False}),
    ((3, 2), (3, 4), {"transpose_a": True, "transpose_b": False}),
    ((2, 3), (4, 3), {"transpose_a": False, "transpose_b": True}),
    ((3, 2), (4, 3), {"transpose_a": True, "transpose_b": True}),
    ((2, 2, 3), (3, 1), {"transpose_a": False, "transpose_b": False}),
    ((1, 2, 3), (2, 3, 2), {"transpose_a": False, "transpose_b": False}),
)
"""Two matrices that fit, plain, transposed and in batches."""
letters = samples.normals(
    ((2, 3), (3, 2), {"equation": "ij,jk->ik"}),
    ((2, 3), {"equation": "ij->ji"}),
    ((2, 3), {"equation": "ij->"}),
    ((2,), (3,), (2,), {"equation": "i,j,k->ik"}),
    ((2, 2, 3), (2, 3), {"equation": "bij,bj->bi"}),
    ((2, 2, 3), {"equation": "iij->j"}),
)
"""Arrays with the letters of their axes."""


_DECLARED_ONLY: Final = {np.dtype(kind) for kind in ("u1", "u2", "u4", "u8")}
"""Dtypes that TensorFlow's MatMul allows, but has no kernel for on a processor."""
_WITHOUT_PRODUCT: Final = _DECLARED_ONLY | {np.dtype(kind) for kind in ("?", "i1", "i2")}


@op(formula="Y = A B", glyph="@", title="Matrix product", raw="MatMul", samples=matrices,
    kinds=NUMBERS, broadcasts=True, same_dtype=True, linear="in each input")  # fmt: skip
def matmul(A: Any, B: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """Each entry of Y is a row of A times a column of B, entry by entry, summed."""
    if A.dtype.kind not in "fc":
        return _product_of_others(A, B, transpose_a=transpose_a, transpose_b=transpose_b)
    return _product(A, B, transpose_a=transpose_a, transpose_b=transpose_b)


def _product_of_others(A: Any, B: Any, **turned: bool) -> Any:
    if is_brain_float(A.dtype):
        return widened(_product, A.dtype)(A, B, **turned)
    if A.dtype in _WITHOUT_PRODUCT:
        raise _without_product(A.dtype)
    return _product(A, B, **turned)


def _product(A: Any, B: Any, *, transpose_a: bool, transpose_b: bool) -> Any:
    if A.ndim < 2 or B.ndim < 2:
        position = 0 if A.ndim < 2 else 1
        raise invalid_argument(
            "MatMul", f"In[{position}] ndims must be >= 2: {brackets((A, B)[position].shape)}. "
            "A vector is neither a row nor a column; try tf.linalg.matvec or tf.expand_dims",
        )  # fmt: skip
    a = A.swapaxes(-1, -2) if transpose_a else A
    b = B.swapaxes(-1, -2) if transpose_b else B
    try:
        return a @ b
    except ValueError as error:
        raise _misfit(A, B, a, b) from error


@matmul.grad("A", r"\bar A = \bar Y B^\top")
def matmul_grad_A(  # noqa: N802 - a matrix is A, as on the blackboard
    dY: Any, Y: Any, A: Any, B: Any, *, transpose_a: bool = False, transpose_b: bool = False
) -> Any:
    """Each entry of A met a row of B, so the gradient comes back by that row."""
    B = conjugated(B)
    if transpose_a:
        return matmul(B, dY, transpose_a=transpose_b, transpose_b=True)
    return matmul(dY, B, transpose_b=not transpose_b)


@matmul.grad("B", r"\bar B = A^\top \bar Y")
def matmul_grad_B(  # noqa: N802 - a matrix is B, as on the blackboard
    dY: Any, Y: Any, A: Any, B: Any, *, transpose_a: bool = False, transpose_b: bool = False
) -> Any:
    """Each entry of B met a column of A, so the gradient comes back by that column."""
    A = conjugated(A)
    if transpose_b:
        return matmul(dY, A, transpose_a=True, transpose_b=transpose_a)
    return matmul(A, dY, transpose_a=not transpose_a)


@matmul.batch
def matmul_batch(call: BatchedCall) -> Any:
    """With a matrix that all rows share: one product with a tall matrix."""
    a, b = call.operands
    if (a.batched and b.batched) or len(a.shape) != 2 or len(b.shape) != 2:
        return call.run(*call.with_rank(max(len(a.shape), len(b.shape))))
    turn_a, turn_b = call.setting("transpose_a"), call.setting("transpose_b")
    if a.batched:
        return _tall_product(call.rows, a, b, swap=turn_a, turn=turn_b)
    across = _tall_product(call.rows, b, a, swap=not turn_b, turn=not turn_a)
    length = a.shape[1] if turn_a else a.shape[0]
    return _swapped(across, call.rows, (b.shape[0] if turn_b else b.shape[1], length))


def _tall_product(rows: int, x: Operand, shared: Operand, *, swap: bool, turn: bool) -> Any:
    """The products of all x, transposed if so said, with one matrix, transposed if so said."""
    values = _swapped(x.value, rows, x.shape) if swap else x.value
    height, width = x.shape[::-1] if swap else x.shape
    tall = matmul(reshaped(values, (rows * height, width)), shared.value, transpose_b=turn)
    return reshaped(tall, (rows, height, shared.shape[0] if turn else shared.shape[1]))


def _swapped(values: Any, rows: int, shape: tuple[int, ...]) -> Any:
    """Matrices of a shape, transposed."""
    height, width = shape
    if height == 1 or width == 1:
        return reshaped(values, (rows, width, height))
    return transpose(values, perm=(0, 2, 1))


def of_matrices(A: Any, B: Any) -> Any:
    """The product of two arrays of floats as it is; ValueError where one of them is no matrix."""
    if A.ndim < 2 or B.ndim < 2:
        raise ValueError
    return A @ B


@matmul.grad_on_floats("A")
def matmul_floats_A(dY: Any, Y: Any, A: Any, B: Any) -> Any:  # noqa: N802 - as above
    return dY @ (B.T if B.ndim == 2 else B.swapaxes(-1, -2))


@matmul.grad_on_floats("B")
def matmul_floats_B(dY: Any, Y: Any, A: Any, B: Any) -> Any:  # noqa: N802 - as above
    return (A.T if A.ndim == 2 else A.swapaxes(-1, -2)) @ dY


def _without_product(dtype: np.dtype[Any]) -> OpError:
    if dtype in _DECLARED_ONLY:
        return NotFoundError(
            None, "MatMul", "Could not find device for node: {{node MatMul}} = "
            f"MatMul[T=DT_{dtype.name.upper()}]. Try tf.cast(x, tf.int32).",
        )  # fmt: skip
    return invalid_argument(
        "MatMul", f"Value for attr 'T' of {spoken(dtype)} is not in the list of allowed values: "
        "half, float, double, int32, int64, complex64, complex128. Try tf.cast(x, tf.int32)",
    )  # fmt: skip


def _misfit(A: Any, B: Any, a: Any, b: Any) -> OpError:
    shapes = brackets(A.shape), brackets(B.shape)
    if a.shape[-1] != b.shape[-2]:
        return invalid_argument(
            "MatMul", f"Matrix size-incompatible: In[0]: {shapes[0]}, In[1]: {shapes[1]}"
        )
    return invalid_argument(
        "BatchMatMulV2",
        f"In[0] and In[1] must have compatible batch dimensions: {shapes[0]} vs. {shapes[1]}",
    )


@op(formula=r"y = \sum x", glyph="einsum", title="Einstein sum", samples=letters)
def einsum(*x: Any, equation: str) -> Any:
    """Multiply entries whose axes share a letter, and sum over the letters missing on the right.

    The equation names every axis with a letter of its own, see `explicit`.
    """
    optimize = len(x) > 2 or x[0].size > 1000
    if x[0].dtype.kind == "V":  # bfloat16, which NumPy's einsum does not know
        wide = [each.astype(np.float32) for each in x]
        return np.einsum(equation, *wide, optimize=optimize).astype(x[0].dtype)[()]
    return np.einsum(equation, *x, optimize=optimize)[()]


@einsum.batch
def einsum_batch(call: BatchedCall) -> Any:
    """One more letter for the rows."""
    equation = call.settings["equation"]
    left, _, right = equation.partition("->")
    row = next(letter for letter in _ALPHABET if letter not in equation)
    terms = zip(call.operands, left.split(","), strict=True)
    named = ",".join(row + term if x.batched else term for x, term in terms)
    return call.run(*[x.value for x in call.operands], equation=f"{named}->{row}{right}")


@einsum.grads({"x": r"\bar x = \sum \bar y"})
def einsum_grads(dy: Any, y: Any, *x: Any, equation: str) -> Any:
    left, _, right = equation.partition("->")
    terms = left.split(",")
    return [
        sum_to(_one_grad(dy, right, terms, x, position), shape=tuple(x[position].shape))
        for position in range(len(x))
    ]


def _one_grad(dy: Any, right: str, terms: list[str], x: Sequence[Any], position: int) -> Any:
    """The product of dy with the other tensors.

    Ones stretch it along axes that no other operand has; identities hold it on the diagonal `ii`.
    """
    others = [i for i in range(len(x)) if i != position]
    term, pairs = _apart(terms[position], terms)
    there = set(right).union(*(terms[i] for i in others))
    alone = [letter for letter in dict.fromkeys(terms[position]) if letter not in there]
    lengths = dict(zip(terms[position], x[position].shape, strict=True))
    kind = getattr(dy.dtype, "as_numpy_dtype", dy.dtype)
    extra = [np.ones(lengths[letter], kind) for letter in alone]
    extra += [np.eye(lengths[pair[0]], dtype=kind) for pair in pairs]
    names = [right, *(terms[i] for i in others), *alone, *pairs]
    factors = [dy, *(conjugated(x[i]) for i in others), *extra]
    return einsum(*factors, equation=f"{','.join(names)}->{term}")


def _apart(term: str, terms: list[str]) -> tuple[str, list[str]]:
    """A term with every repeat of a letter renamed, and the pairs that belong together."""
    spare = iter([letter for letter in _ALPHABET if letter not in ",".join(terms)])
    named, pairs = "", []
    for letter in term:
        new = next(spare) if letter in named else letter
        pairs += [letter + new] if new != letter else []
        named += new
    return named, pairs


def explicit(equation: str, shapes: Sequence[tuple[int, ...]]) -> str:
    """An equation with a letter for every axis: `...` and a missing right side are spelled out.

    ValueError for an equation that says nothing, InvalidArgumentError for tensors that do not fit.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    if not re.fullmatch(r"[A-Za-z.,]*", left) or not re.fullmatch(r"[A-Za-z.]*", right):
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    unknown = set(right) - set(left) - {"."}
    if unknown:
        raise ValueError(
            f"Output subscripts contain the label {min(unknown)} not present in the input "
            "subscripts."
        )
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise ValueError(
            f"Got {len(shapes)} arguments for equation {equation!r}, expecting {len(terms)}."
        )
    _check_named(terms, shapes)
    ranks = [len(shape) for shape in shapes]
    spare = [letter for letter in _ALPHABET if letter not in left]
    hidden = max(
        (rank - len(term) + 3 for term, rank in zip(terms, ranks, strict=True) if "..." in term),
        default=0,
    )
    dots = "".join(spare[:hidden])
    full = [_spelled(term, rank, dots) for term, rank in zip(terms, ranks, strict=True)]
    if arrow:
        return f"{','.join(full)}->{right.replace('...', dots)}"
    once = sorted(each for each in set(left) - set(".,") if left.count(each) == 1)
    return f"{','.join(full)}->{dots}{''.join(once)}"


def _check_named(terms: list[str], shapes: Sequence[tuple[int, ...]]) -> None:
    """InvalidArgumentError unless each letter stands for one length in all the tensors."""
    known: dict[str, int] = {}
    for at, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        before, dots, after = term.partition("...")
        named = len(before) + len(after)
        if len(shape) < named or (len(shape) != named and not dots):
            raise invalid_argument(
                "Einsum", f"Expected input {at} to have rank {named} but got: {len(shape)}. The "
                f"term {term!r} needs a letter for each axis",
            )  # fmt: skip
        ends = [*zip(before, shape, strict=False), *zip(after[::-1], shape[::-1], strict=False)]
        for letter, length in ends:
            if known.setdefault(letter, length) != length:
                raise invalid_argument(
                    "Einsum", f"Expected dimension {known[letter]} at axis {letter!r} of the input "
                    f"shaped {brackets(shape)} but got dimension {length}",
                )  # fmt: skip


def _spelled(term: str, rank: int, dots: str) -> str:
    named = len(term) - 3 if "..." in term else len(term)
    return term.replace("...", dots[len(dots) - (rank - named) :])


_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
