"""The tables of the diagnosis: what is asked of a case, and what tells of each kind of cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from tapelab.diagnosis.applying import some_none
from tapelab.diagnosis.assigning import state_read
from tapelab.diagnosis.branching import only_decides, only_its_shape
from tapelab.diagnosis.choosing import index_source
from tapelab.diagnosis.consuming import consumed
from tapelab.diagnosis.copying import copied
from tapelab.diagnosis.derivatives import derived, from_before
from tapelab.diagnosis.flow import Cut, Edge
from tapelab.diagnosis.hand_written import keyword_missing
from tapelab.diagnosis.handing_out import handed_out
from tapelab.diagnosis.holding import held
from tapelab.diagnosis.inside import growing, inside_the_block
from tapelab.diagnosis.integers import int_on_the_way, int_source
from tapelab.diagnosis.keeping import frozen_but_watched, untracked
from tapelab.diagnosis.leaking import leaked
from tapelab.diagnosis.leaving import left, no_tensor
from tapelab.diagnosis.mixing import mixed
from tapelab.diagnosis.numerical import OF_NUMBERS
from tapelab.diagnosis.objects import wrong_object
from tapelab.diagnosis.python_code import numpy_inside
from tapelab.diagnosis.rebinding import rebound
from tapelab.diagnosis.special_cases import special_source
from tapelab.diagnosis.stopping import flat, stopped, withheld
from tapelab.diagnosis.timing import ran_off_tape
from tapelab.diagnosis.undeclared import undeclared, undeclared_on_the_way
from tapelab.diagnosis.unused import inside_a_dataset, inside_a_step, swapped, unused
from tapelab.diagnosis.updating import rebound_in_a_step
from tapelab.diagnosis.watching import autowatch_off, not_trainable, not_watched

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Finding

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
