"""What is asked of the numbers and the shapes on the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from tapelab.diagnosis.complex_convention import conjugated
from tapelab.diagnosis.custom_gradients import keyword_missing, upstream_ignored
from tapelab.diagnosis.degenerate_spectra import degenerate
from tapelab.diagnosis.discrete_choices import index_source, only_decides, only_its_shape
from tapelab.diagnosis.edges import Cut, Edge
from tapelab.diagnosis.gradient_magnitudes import cancelled, exploding, vanishing
from tapelab.diagnosis.host_computation import left, no_tensor, numpy_inside
from tapelab.diagnosis.iteration_counts import not_converged, trip_count
from tapelab.diagnosis.kinks import on_kink, special_case, special_source
from tapelab.diagnosis.loss_functions import double_softmax, swapped_loss, unnormalised_sum
from tapelab.diagnosis.model_variables import frozen_but_watched, untracked
from tapelab.diagnosis.non_differentiable_ops import (
    flat,
    int_on_the_way,
    int_source,
    stopped,
    withheld,
)
from tapelab.diagnosis.non_finite import not_finite
from tapelab.diagnosis.off_tape import ran_off_tape
from tapelab.diagnosis.refused_ops import (
    leaked,
    mixed,
    some_none,
    undeclared,
    undeclared_on_the_way,
)
from tapelab.diagnosis.saturation import dead_units, saturated, underflow
from tapelab.diagnosis.second_derivatives import derived, from_before
from tapelab.diagnosis.shape_mistakes import unintended_broadcast, wrong_axis
from tapelab.diagnosis.smooth_relaxations import flat_sign
from tapelab.diagnosis.stateful_values import copied, handed_out, state_read
from tapelab.diagnosis.summed_gradients import cross_talk, repeated_rows, summed_target
from tapelab.diagnosis.tape_lifetime import consumed, growing, held, inside_the_block
from tapelab.diagnosis.trace_constants import trace_time_constant
from tapelab.diagnosis.unused_source import inside_a_dataset, inside_a_step, swapped, unused
from tapelab.diagnosis.unwatched_source import autowatch_off, not_trainable, not_watched
from tapelab.diagnosis.variable_rebinding import rebound, rebound_in_a_step
from tapelab.diagnosis.wrong_object import wrong_object

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


AT_THE_SOURCE: Final[tuple[Callable[[Case], Finding | None], ...]] = (
    rebound,
    swapped,
    special_source,
    inside_a_step,
    inside_a_dataset,
    wrong_object,
    no_tensor,
    only_decides,
    only_its_shape,
    unused,
    index_source,
    int_source,
    not_trainable,
    autowatch_off,
    not_watched,
    from_before,
)
"""Causes of a None that lie in the source itself: the first that applies is the answer. A tensor
of whole numbers may lack `watch` besides.
"""

AT_A_CUT: Final[dict[Cut, Callable[[Case, Edge], Finding]]] = {
    Cut.STOPPED: stopped,
    Cut.OUTSIDE: flat,
    Cut.FLAT: flat,
    Cut.WITHHELD: withheld,
    Cut.INTEGER: int_on_the_way,
    Cut.LEFT: left,
    Cut.STATE: state_read,
    Cut.HANDED_OUT: handed_out,
    Cut.BEFORE: ran_off_tape,
    Cut.AFTER: ran_off_tape,
    Cut.PAUSED: ran_off_tape,
    Cut.THREAD: ran_off_tape,
    Cut.LATE: ran_off_tape,
    Cut.COPIED: copied,
    Cut.DERIVED: derived,
}
"""Causes that lie between source and target, by the kind of cut."""

CHECKS: Final[tuple[Callable[[Case], Iterator[Finding]], ...]] = (
    untracked,
    numpy_inside,
    rebound_in_a_step,
    undeclared_on_the_way,
    *OF_NUMBERS,
    frozen_but_watched,
    inside_the_block,
    growing,
    held,
)
"""What is asked of every case, also where a gradient arrives: numbers, shapes, state."""

REFUSALS: Final[dict[str, Callable[[Case, Mapping[str, Any]], Finding | None]]] = {
    "TAPE_CONSUMED": consumed,
    "NO_GRADIENT_REGISTERED": undeclared,
    "MIXED_DTYPE": mixed,
    "VARIABLES_KEYWORD_MISSING": keyword_missing,
    "LEAKED_SYMBOL": leaked,
}
"""Errors that the engine raises, by the code of their refusal. The case has the refused question,
at the place of the error; the details are what the engine knew besides.
"""

OF_SEVERAL: Final[tuple[Callable[[tuple[Case, ...]], Iterator[Finding]], ...]] = (some_none,)
"""What is asked of all cases of one question together, one for each source."""
