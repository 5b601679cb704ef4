"""Whether the rows of a batch meet on the way from a source to its target."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.way import Way

Shape = tuple[int, ...]


def meeting(case: Case, way: Way, rows: int) -> int:
    """The tensor in which rows have met, whose numbers then went to all rows; -1 for none."""
    shapes, of = case.recording.shapes, case.recording.columns["tensor.shape"].tolist()
    spread: dict[tuple[int, int], bool] = {}
    for step, (tensor, made) in enumerate(zip(way.tensor, way.made, strict=True)):
        if made < 0:
            continue
        pair = of[tensor], of[made]
        if pair not in spread:
            spread[pair] = _is_spread(shapes[pair[0]], shapes[pair[1]], rows)
        if spread[pair] or _is_mixed_in(way, step, shapes[pair[0]], rows):
            return tensor
    return -1


def _is_spread(given: Shape, made: Shape, rows: int) -> bool:
    """Whether one row was laid out for all of them."""
    if made[:1] != (rows,) or rows < 2 or len(given) > len(made):
        return False
    padded = (1,) * (len(made) - len(given)) + given
    matches = all(a in (1, b) for a, b in zip(padded, made, strict=True))
    return matches and padded[0] == 1


def _is_mixed_in(way: Way, step: int, given: Shape, rows: int) -> bool:
    """Whether a matrix from the left has added rows up."""
    on_the_right = way.ops[step] == "matmul" and way.position[step] == 1
    return on_the_right and len(given) == 2 and given[0] == rows > 1
