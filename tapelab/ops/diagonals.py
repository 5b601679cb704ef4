"""Bands of several diagonals, packed into a matrix with one row per diagonal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.ops import samples


@dataclass(frozen=True)
class Band:
    """The diagonals `low` to `high` of matrices of a size, and how short ones are aligned."""

    rows: int
    columns: int
    low: int
    high: int
    align: str = "RIGHT_LEFT"

    @property
    def width(self) -> int:
        """How long the longest of the diagonals is."""
        return max(self.length(k) for k in range(self.low, self.high + 1))

    def length(self, k: int) -> int:
        """How many entries the diagonal `k` has."""
        return min(self.rows + min(k, 0), self.columns - max(k, 0))

    def places(self) -> tuple[Any, ...]:
        """For each entry of the band its row and place in the packed form, its row and column."""
        diagonals = [self._diagonal(k) for k in range(self.high, self.low - 1, -1)]
        return tuple(np.concatenate(part) for part in zip(*diagonals, strict=True))

    def _diagonal(self, k: int) -> tuple[Any, ...]:
        at = np.arange(self.length(k))
        upper, lower = self.align.split("_")
        shift = self.width - at.size if (upper if k >= 0 else lower) == "RIGHT" else 0
        line = np.full(at.size, self.high - k)
        return line, at + shift, at - min(k, 0), at + max(k, 0)


def packed(rng: np.random.Generator) -> list[samples.Sample]:
    """Packed bands; the places that belong to no diagonal are left out of account."""
    one, two = Band(3, 3, -1, 1), Band(2, 3, 0, 1, "LEFT_RIGHT")
    return [((rng.normal(size=(3, 3)),), {"band": one}),
            ((rng.normal(size=(2, 2, 2)),), {"band": two})]  # fmt: skip


def matrices(rng: np.random.Generator) -> list[samples.Sample]:
    """Matrices with the band to take out."""
    one, two = Band(3, 3, -1, 1), Band(2, 3, 0, 1, "LEFT_RIGHT")
    return [((rng.normal(size=(3, 3)),), {"band": one}),
            ((rng.normal(size=(2, 2, 3)),), {"band": two})]  # fmt: skip


@op(formula=r"y = \operatorname{diag}(x)", glyph="diags", title="Matrix from diagonals",
    raw="MatrixDiagV3", samples=packed)  # fmt: skip
def from_band(x: Any, *, band: Band, padding: Any = 0) -> Any:
    """A matrix with the given diagonals, and `padding` elsewhere."""
    whole = np.full((*x.shape[:-2], band.rows, band.columns), padding, x.dtype)
    line, place, row, column = band.places()
    whole[..., row, column] = x[..., line, place]
    return whole


@from_band.grad("x", r"\bar x = \operatorname{diagpart}(\bar y)")
def from_band_grad_x(dy: Any, y: Any, x: Any, *, band: Band, padding: Any = 0) -> Any:
    return band_of(dy, band=band)


@op(formula=r"y = \operatorname{diagpart}(x)", glyph="diags of", title="Diagonals of a matrix",
    raw="MatrixDiagPartV3", samples=matrices)  # fmt: skip
def band_of(x: Any, *, band: Band, padding: Any = 0) -> Any:
    """Several diagonals of a matrix, one a row, the highest first; short ones are padded."""
    whole = np.full((*x.shape[:-2], band.high - band.low + 1, band.width), padding, x.dtype)
    line, place, row, column = band.places()
    whole[..., line, place] = x[..., row, column]
    return whole


@band_of.grad("x", r"\bar x = \operatorname{diag}(\bar y)")
def band_of_grad_x(dy: Any, y: Any, x: Any, *, band: Band, padding: Any = 0) -> Any:
    return from_band(dy, band=band)


def exchanged(rng: np.random.Generator) -> list[samples.Sample]:
    """Matrices with a band that takes the place of theirs."""
    return [((rng.normal(size=(3, 3)), rng.normal(size=(2, 3))), {"band": Band(3, 3, 0, 1)})]


@op(formula=r"z = \operatorname{setdiag}(x, y)", glyph="set diags", raw="MatrixSetDiagV3",
    title="Set diagonals", samples=exchanged)  # fmt: skip
def set_band(x: Any, y: Any, *, band: Band) -> Any:
    """A copy of a matrix with other numbers on several diagonals."""
    whole = np.array(x)
    line, place, row, column = band.places()
    whole[..., row, column] = y[..., line, place]
    return whole


@set_band.grad("x", r"\bar x = \operatorname{setdiag}(\bar z, 0)")
def set_band_grad_x(dz: Any, z: Any, x: Any, y: Any, *, band: Band) -> Any:
    return set_band(dz, y * 0, band=band)


@set_band.grad("y", r"\bar y = \operatorname{diagpart}(\bar z)")
def set_band_grad_y(dz: Any, z: Any, x: Any, y: Any, *, band: Band) -> Any:
    return band_of(dz, band=band)
