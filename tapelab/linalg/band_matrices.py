"""Public functions of `tf.linalg` for diagonals, bands and tridiagonal matrices."""

from __future__ import annotations

from typing import Any

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets, require_one_dtype, spoken
from tapelab.dtypes import int32, int64
from tapelab.errors import OpError, invalid_argument
from tapelab.ops import linear_systems, matrices
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.diagonals import Band, band_of, from_band, set_band
from tapelab.ops.integer_arguments import lengths, number
from tapelab.ops.products import matmul
from tapelab.ops.public import matched, strict_operand
from tapelab.ops.public import tensor as as_tensor
from tapelab.ops.shapes import expand_dims, reshape, squeeze

_ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


@public
def diag(
    diagonal: Any, name: str = "diag", k: Any = 0, num_rows: Any = -1, num_cols: Any = -1,
    padding_value: Any = 0, align: str = "RIGHT_LEFT",
) -> Tensor:  # fmt: skip
    """A matrix with the given numbers on a diagonal, or on several, and padding elsewhere.

    `k` counts diagonals upwards from the main one; a pair of two names the lowest and the highest.
    """
    raw = "MatrixDiagV3"
    x = as_tensor(diagonal)
    (low, high), shape = _range(raw, k), x._array.shape
    several = high > low
    if x.ndim < 1 + several:
        raise invalid_argument(
            raw, f"diagonal must be at least {1 + several}-dim, received shape: {brackets(shape)}"
        )
    if several and shape[-2] != high - low + 1:
        raise invalid_argument(
            raw, "The number of diagonals provided in the input does not match the lower_diag_index"
            " and upper_diag_index range.",
        )  # fmt: skip
    rows, columns = _size(raw, shape[-1], low, high, number(num_rows, raw), number(num_cols, raw))
    band = Band(rows, columns, low, high, _alignment(align))
    packed = x if several else reshape(x, shape=(*shape[:-1], 1, shape[-1]))
    return from_band(packed, band=band, padding=_padding(x, padding_value))


def _padding(x: Tensor, value: Any) -> Any:
    """What stands outside the diagonals; 0 means False where these are true and false."""
    return strict_operand(bool(value) if x.dtype.is_bool else value, x.dtype)._value


def _size(
    raw: str, length: int, low: int, high: int, rows: int, columns: int
) -> tuple[int, int]:  # fmt: skip
    """The rows and columns of a matrix whose longest diagonal has a length; -1 asks for fewest."""
    least_rows, least_columns = length - min(high, 0), length + max(low, 0)
    if rows == columns == -1:
        return (max(least_rows, least_columns),) * 2
    rows, columns = rows if rows != -1 else least_rows, columns if columns != -1 else least_columns
    if rows < least_rows or columns < least_columns:
        word, least = ("rows", least_rows) if rows < least_rows else ("columns", least_columns)
        raise invalid_argument(raw, f"The number of {word} is too small, it must be >= {least}.")
    if rows != least_rows and columns != least_columns:
        raise invalid_argument(
            raw, "The number of rows or columns is not consistent with the specified d_lower, "
            "d_upper, and diagonal.",
        )  # fmt: skip
    return rows, columns


@public
def diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:  # fmt: skip
    """The numbers on a diagonal, or on several, one a row, the highest first."""
    raw = "MatrixDiagPartV3"
    x = as_tensor(input)
    low, high = _range(raw, k)
    if x.ndim >= 2:
        _check_range(raw, x, low, high)
    diagonals: Tensor
    if low == high or x.ndim < 2:
        diagonals = matrices.diagonal_part(x, k=low)  # it says so if this is no matrix
    else:
        band = _band(x, low, high, align)
        diagonals = band_of(x, band=band, padding=_padding(x, padding_value))
    return diagonals


@public
def set_diag(
    input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """The matrix with other numbers on a diagonal, or on several."""
    raw = "MatrixSetDiagV3"
    x, y = matched(input, diagonal)
    require_one_dtype(raw, (x._value, y._value))
    low, high = _range(raw, k)
    if x.ndim < 2:
        raise invalid_argument(
            raw, f"input must be at least 2-dim, received shape: {brackets(x._array.shape)}"
        )
    _check_range(raw, x, low, high)
    matrix: Tensor
    if low == high:
        matrix = matrices.set_diagonal(x, y, k=low)
    else:
        band = _band(x, low, high, align)
        wanted = (*x._array.shape[:-2], high - low + 1, band.width)
        if y._array.shape != wanted:
            raise invalid_argument(
                raw, "Either the diagonal or the shape of the input does not fit: the diagonals "
                f"must have shape {brackets(wanted)}, not {brackets(y._array.shape)}",
            )  # fmt: skip
        matrix = set_band(x, y, band=band)
    return matrix


def _range(raw: str, k: Any) -> tuple[int, int]:
    bounds = lengths(k, raw)
    low, high = bounds[0], bounds[-1]
    if len(bounds) > 2:
        raise invalid_argument(
            raw, "diag_index must be a scalar or vector, received shape: " + brackets([len(bounds)])
        )
    if low > high:
        raise invalid_argument(
            raw, f"lower_diag_index must not be larger than upper_diag_index: {low} > {high}"
        )
    return low, high


def _check_range(raw: str, x: Tensor, low: int, high: int) -> None:
    rows, columns = x._array.shape[-2:]
    for word, each in (("lower", low), ("upper", high)):
        if not -rows < each < columns and each:
            raise _outside(raw, f"{word}_diag_index is out of bound: {each}", -rows, columns)


def _outside(raw: str, what: str, low: int, high: int) -> OpError:
    return invalid_argument(raw, f"{what}. It must be between {low} and {high}")


def _band(x: Tensor, low: int, high: int, align: str) -> Band:
    rows, columns = x._array.shape[-2:]
    return Band(rows, columns, low, high, _alignment(align))


def _alignment(align: str) -> str:
    if align not in _ALIGNMENTS:
        raise ValueError(
            f"Expected string argument 'align' to be one of {', '.join(_ALIGNMENTS)}, not {align!r}"
        )
    return align


def _refuse_narrow(x: Tensor, raw: str) -> None:
    if not (x.dtype.is_floating or x.dtype.is_complex or x.dtype in {int32, int64}):
        raise invalid_argument(
            raw, f"Value for attr 'T' of {spoken(x.dtype.name)} is not in the list of allowed "
            "values: bfloat16, half, float, double, int32, int64, complex64, complex128. Try "
            "tf.cast(x, tf.int32)",
        )  # fmt: skip


@public(group=True)
def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with the given numbers where both halves of an index agree."""
    x = as_tensor(diagonal)
    _refuse_narrow(x, "Diag")
    if not x.ndim:
        raise invalid_argument("Diag", "Input must be at least rank 1, got 0")
    flat = matrices.diagonal(reshape(x, shape=(-1,)))
    return reshape(flat, shape=(*x._array.shape, *x._array.shape))


@public(group=True)
def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """The numbers where both halves of an index agree."""
    x = as_tensor(input)
    _refuse_narrow(x, "DiagPart")
    shape, half = x._array.shape, x.ndim // 2
    if x.ndim % 2:
        raise invalid_argument(
            "DiagPart", f"The rank of the tensor should be even and positive, got shape "
            f"{brackets(shape)}",
        )  # fmt: skip
    for at in range(half):
        if shape[at] != shape[at + half]:
            raise invalid_argument(
                "DiagPart",
                f"Invalid shape {brackets(shape)}: dimensions {at} and {at + half} do not match.",
            )
    size = 1
    for length in shape[:half]:
        size *= length
    flat = matrices.diagonal_part(reshape(x, shape=(size, size)))
    return reshape(flat, shape=shape[:half])


@public
def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """The entries near the main diagonal, zeros elsewhere; -1 keeps everything on that side."""
    raw = "MatrixBandPart"
    x, low, up = as_tensor(input), number(num_lower, raw), number(num_upper, raw)
    if x.ndim >= 2:
        for word, given, side, most in (
            ("lower", low, "rows", x._array.shape[-2]),
            ("upper", up, "columns", x._array.shape[-1]),
        ):
            if given > most:
                raise invalid_argument(
                    raw, f"num_{word} must be negative or less or equal to number of {side} "
                    f"({most}) got: {given}",
                )  # fmt: skip
    return matrices.band_part(x, lower=low, upper=up)


_FORMATS = "compact, sequence, matrix"


@public(group=True)
def tridiagonal_solve(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", transpose_rhs: bool = False,
    conjugate_rhs: bool = False, name: str | None = None, partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:  # fmt: skip
    """The solution of linear equations in which each row knows only its neighbours."""
    whole = _whole(diagonals, diagonals_format)
    given: Any = as_tensor(rhs)
    x, y = matched(whole, given)
    if conjugate_rhs:
        y = conjugated(y)
    one_column = y.ndim == x.ndim - 1
    columns = expand_dims(y, axis=-1) if one_column else y
    if transpose_rhs and not one_column:
        columns = matrices.matrix_transpose(columns)
    solutions = linear_systems.solve(x, columns)
    solution: Tensor = squeeze(solutions, axis=(-1,)) if one_column else solutions
    return solution


@public(group=True)
def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """The product with a matrix of three diagonals."""
    return matmul(*matched(_whole(diagonals, diagonals_format), rhs))


def _whole(diagonals: Any, form: str) -> Any:
    """The matrix with the three diagonals, whatever form they are given in."""
    if form == "matrix":
        return as_tensor(diagonals)
    if form == "compact":
        packed = as_tensor(diagonals)
        shape = packed._array.shape
        if len(shape) < 2 or shape[-2] != 3:
            raise ValueError(f"Expected diagonals to have 3 rows, got {brackets(shape)}")
        return from_band(packed, band=Band(shape[-1], shape[-1], -1, 1, "LEFT_RIGHT"))
    if form != "sequence":
        raise ValueError(f"Unrecognized diagonals_format: {form}. Expected one of {_FORMATS}")
    upper, main, lower = matched(*diagonals)
    size: int = main._array.shape[-1]
    above, below = _short(upper, size, slice(None, -1)), _short(lower, size, slice(1, None))
    return matrices.diagonal(main) + matrices.diagonal(above, k=1) + matrices.diagonal(below, k=-1)


def _short(side: Any, size: int, kept: slice) -> Any:
    """A diagonal beside the main one, without the place that is outside the matrix."""
    return side[..., kept] if side._array.shape[-1] == size else side


@public(group=True)
def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solution of linear equations of a triangle with few diagonals, one a row."""
    x, y = matched(bands, rhs)
    count, size = x._array.shape[-2:]
    if count > size:
        raise invalid_argument(
            "BandedTriangularSolve", f"The number of bands {count} must not exceed {size}"
        )
    low, high = (1 - count, 0) if lower else (0, count - 1)
    whole = from_band(x, band=Band(size, size, low, high, "LEFT_RIGHT"))
    return linear_systems.triangular_solve(whole, y, lower=lower, adjoint_a=adjoint)
