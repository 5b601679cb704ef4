"""What numba compiles of rows that meet at numbered places. Only `loader` imports it."""

from __future__ import annotations

from typing import Any

from numba import njit


@njit(cache=True, nogil=True)
def larger_rows(rows: Any, places: Any, whole: Any) -> None:
    """Keep the larger of each entry and those of the rows that its place names; NaN wins."""
    for i in range(places.size):
        row, target = rows[i], whole[places[i]]
        for j in range(row.size):
            v, held = row[j], target[j]
            target[j] = v if v > held or v != v else held  # noqa: PLR0124 - NaN


@njit(cache=True, nogil=True)
def smaller_rows(rows: Any, places: Any, whole: Any) -> None:
    """Keep the smaller of each entry and those of the rows that its place names; NaN wins."""
    for i in range(places.size):
        row, target = rows[i], whole[places[i]]
        for j in range(row.size):
            v, held = row[j], target[j]
            target[j] = v if v < held or v != v else held  # noqa: PLR0124 - NaN


@njit(cache=True)
def add_rows(rows: Any, places: Any, whole: Any) -> None:
    """Add each row to the row of `whole` that its place names."""
    width = rows.shape[1]
    for i in range(places.size):
        row, target = rows[i], whole[places[i]]
        for j in range(width):
            target[j] += row[j]
