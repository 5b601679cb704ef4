"""Going back through a call by a program (`log.HEARD`) in one step, and telling it when asked.

The steps inside are told from what went in. Where that was large and is gone, the same steps are
taken on ones, and told without their numbers, as those of large values are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from tapelab.core.flows import Flow, Flows, Told, plain
from tapelab.core.indexed_slices import accumulated
from tapelab.core.records import Dropped, Record, lightened
from tapelab.errors import NoGradientError

Walk = Callable[[Iterable[Record], dict[int, Any], Told], None]
"""Hand adjoints back through ops, the last first, and tell of each step."""


def go_back(
    record: Record, adjoints: dict[int, Any], wanted: set[int], flows: Flows, told: Told, walk: Walk
) -> None:
    """Hand adjoints back through a call; where its program cannot, through the ops inside.

    Where steps are to be told, those of a program are told when somebody looks.
    """
    ids, made, call = record[4], record[6], record[8]
    upstream = [adjoints.get(each) for each in made]
    if not call.inside.met and all(each is None for each in upstream):
        return
    found = None if wanted.intersection(made) else call.back(record, upstream)
    if found is None:
        walk(reversed(call.told(record)), adjoints, told)
        return
    for each in made:
        adjoints.pop(each, None)
    before = {} if told is None else {each: adjoints[each] for each in ids if each in adjoints}
    for number, more in found:
        held = adjoints.get(number)
        adjoints[number] = more if held is None else accumulated(held, more)
    if told is not None:
        before |= zip(made, upstream, strict=True)
        begun = {each: plain(held) for each, held in before.items() if held is not None}
        after = {number: plain(adjoints[number]) for number, _ in found}
        flows.fold(partial(_told, lightened(record), begun, after, walk))


def _told(record: Record, before: dict[int, Any], after: dict[int, Any], walk: Walk) -> list[Flow]:
    """The steps inside a call, with their numbers where all that they come from is known."""
    records, flows = record[8].told(record), list[Flow]()
    known = not any(type(each) is Dropped for each in (*record[5], *before.values()))
    if not known:
        records = [_with_ones(each) for each in records]
    begun = {number: value if known else _ones(value) for number, value in before.items()}
    with np.errstate(all="ignore"), suppress(NoGradientError):
        walk(reversed(records), begun, flows)
    found = flows if known else list(map(_without_numbers, flows))
    last = {flow.tensor: at for at, flow in enumerate(found)}
    for number, end in after.items():
        if number in last:
            found[last[number]] = _ending_in(end, found[last[number]])
    return found


def _ending_in(end: Any, flow: Flow) -> Flow:
    """The last step to an input, with the very object that the way back goes on with."""
    alone = flow.contribution is flow.sum
    return flow._replace(sum=end, contribution=end if alone else flow.contribution)


def _with_ones(record: Record) -> Record:
    """A record with ones in place of all numbers: its steps are the same."""
    values, results = tuple(map(_ones, record[5])), record[7]
    made = tuple(map(_ones, results)) if type(results) is tuple else _ones(results)
    return (*record[:5], values, record[6], made, *record[8:])


def _ones(value: Any) -> Any:
    return np.ones(value.shape, value.dtype)[()] if type(value) is Dropped else value


def _without_numbers(flow: Flow) -> Flow:
    upstream, more, total = flow.upstream, flow.contribution, flow.sum
    told = _bare(more)
    return Flow(*flow[:3], _bare(upstream), told, told if total is more else _bare(total))


def _bare(value: Any) -> Any:
    return None if value is None else Dropped(np.shape(value), value.dtype)
