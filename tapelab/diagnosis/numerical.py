"""What is asked of the numbers and the shapes on the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis.batch_sums import unnormalised_sum
from tapelab.diagnosis.cancelling import cancelled
from tapelab.diagnosis.complex_convention import conjugated
from tapelab.diagnosis.converging import not_converged
from tapelab.diagnosis.dead import dead_units
from tapelab.diagnosis.degenerate import degenerate
from tapelab.diagnosis.double_softmax import double_softmax
from tapelab.diagnosis.flats import saturated
from tapelab.diagnosis.ignoring_upstream import upstream_ignored
from tapelab.diagnosis.kinks import on_kink
from tapelab.diagnosis.magnitudes import exploding, vanishing
from tapelab.diagnosis.mistaken_shapes import unintended_broadcast, wrong_axis
from tapelab.diagnosis.smoothing import flat_sign
from tapelab.diagnosis.sparse_rows import repeated_rows
from tapelab.diagnosis.special_cases import special_case
from tapelab.diagnosis.spoiled import not_finite
from tapelab.diagnosis.summing import cross_talk, summed_target
from tapelab.diagnosis.swapped_losses import swapped_loss
from tapelab.diagnosis.trace_time import trace_time_constant
from tapelab.diagnosis.trip_counts import trip_count
from tapelab.diagnosis.underflow import underflow

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Finding

OF_NUMBERS: Final[tuple[Callable[[Case], Iterator[Finding]], ...]] = (
    not_finite,
    exploding,
    degenerate,
    underflow,
    dead_units,
    saturated,
    flat_sign,
    cancelled,
    vanishing,
    swapped_loss,
    double_softmax,
    unintended_broadcast,
    wrong_axis,
    upstream_ignored,
    trace_time_constant,
    special_case,
    on_kink,
    not_converged,
    trip_count,
    unnormalised_sum,
    summed_target,
    cross_talk,
    repeated_rows,
    conjugated,
)
"""The checks of the numbers that a gradient was made of; a healthy one passes them all."""
