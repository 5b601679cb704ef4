"""From one dtype to another, and between real and complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.batching import on_last_axes
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.op import op
from tapelab.core.text_forms import brackets, spoken
from tapelab.dtypes import as_dtype
from tapelab.errors import UnimplementedError, invalid_argument
from tapelab.ops import samples
from tapelab.ops.rules import NUMBERS, numpy_dtype


def casts(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with the dtype to cast them to."""
    kinds = (np.dtype(np.float64), np.dtype(np.complex128))
    return [(arrays, {"dtype": kind}) for kind in kinds for arrays, _ in samples.anywhere(rng)]


def readings(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with the dtype that their bits are read as."""
    kinds = (np.dtype(np.int64), np.dtype(np.uint8))
    return [((rng.integers(0, 99, size=(2, 8)),), {"dtype": kind}) for kind in kinds]


@op(formula=r"y = \operatorname{cast}(x)", glyph="cast", samples=casts, propagates_slices=True,
    reference=lambda x, dtype: x.astype(dtype), linear=True, batching=on_last_axes)  # fmt: skip
def cast(x: Any, *, dtype: Any) -> Any:
    """The same numbers in another dtype; floats are cut off towards 0 where it holds whole ones."""
    wanted = dtype if isinstance(dtype, np.dtype) else np.dtype(as_dtype(dtype).as_numpy_dtype)
    if (x.dtype.kind == "O") != (wanted.kind == "O"):
        raise UnimplementedError(
            None,
            "Cast",
            f"Cast {as_dtype(x.dtype).name} to {as_dtype(wanted).name} is not supported. "
            "Text is turned into numbers by float(text) [Op:Cast]",
        )
    if x.dtype.kind == "c" and wanted.kind not in "cb":
        x = x.real
    return x.astype(wanted)


@cast.grad("x", r"\bar x = \operatorname{cast}(\bar y)")
def cast_grad_x(dy: Any, y: Any, x: Any, *, dtype: Any) -> Any:
    if isinstance(dy, IndexedSlices):
        return dy.mapped(lambda rows: cast(rows, dtype=numpy_dtype(x)))
    return cast(dy, dtype=numpy_dtype(x))


@op(formula=r"z = x + i y", glyph="x+iy", samples=samples.twins, kinds="f", broadcasts=True,
    same_dtype=True, reference=lambda x, y: x + 1j * y)  # fmt: skip
def complex(x: Any, y: Any) -> Any:
    """A complex number from its real and its imaginary part."""
    z = np.empty(np.broadcast_shapes(x.shape, y.shape), np.result_type(x.dtype, np.complex64))
    z.real = x
    z.imag = y
    return z[()]


@complex.grad("x", r"\bar x = \operatorname{real}(\bar z)")
def complex_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return real(dz)


@complex.grad("y", r"\bar y = \operatorname{imag}(\bar z)")
def complex_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return imag(dz)


@op(formula=r"y = \operatorname{real}(x)", glyph="Re", samples=samples.anywhere, kinds=NUMBERS,
    reference=np.real, linear=True, batching=on_last_axes)  # fmt: skip
def real(x: Any) -> Any:
    """The real part of each entry."""
    return x.real


@real.grad("x", r"\bar x = \bar y")
def real_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return cast(dy, dtype=numpy_dtype(x))


@op(formula=r"y = \operatorname{imag}(x)", glyph="Im", samples=samples.anywhere, kinds=NUMBERS,
    reference=np.imag, batching=on_last_axes)  # fmt: skip
def imag(x: Any) -> Any:
    """The imaginary part of each entry; 0 for real numbers."""
    return x.imag


@imag.grad("x", r"\bar x = i \bar y")
def imag_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return cast(dy, dtype=numpy_dtype(x)) * (1j if numpy_dtype(x).kind == "c" else 0)


@op(formula=r"y = \operatorname{bits}(x)", glyph="bits as", title="Same bits, other dtype",
    pattern="integer", raw="Bitcast", samples=readings)  # fmt: skip
def bitcast(x: Any, *, dtype: Any) -> Any:
    """The same bits read as another dtype; wider or narrower entries fill or make an axis."""
    wanted = np.dtype(dtype)
    if {x.dtype.kind, wanted.kind} & {"b", "O"}:
        raise invalid_argument(
            "Bitcast", f"Value for attr 'T' of {spoken(x.dtype)} is not in the list of allowed "
            "values: half, float, double, int32, int64, uint8. Only numbers have bits to read",
        )  # fmt: skip
    ratio = wanted.itemsize // x.dtype.itemsize
    if ratio > 1 and x.shape[-1:] != (ratio,):
        raise invalid_argument(
            "Bitcast", f"Cannot bitcast from {as_dtype(x.dtype).name} to {as_dtype(wanted).name}: "
            f"the last axis must have {ratio} entries, and the shape is {brackets(x.shape)}",
        )  # fmt: skip
    whole = np.ascontiguousarray(x)
    if ratio <= 1:
        deeper = x.dtype.itemsize > wanted.itemsize
        return (whole.reshape(*x.shape, 1) if deeper else whole.reshape(x.shape)).view(wanted)[()]
    return whole.view(wanted)[..., 0][()]


bitcast.no_grad("x", because="Bits read as another dtype are other numbers, without a derivative.")
