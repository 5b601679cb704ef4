"""Every kind of event becomes integers and comes back from them."""

import pytest

from tapelab.recording import events as e

EXAMPLES = [
    e.Opened(), e.Closed(), e.Paused(), e.Resumed(), e.Reset(),
    e.Watched(3, -1, 0), e.Read(0, 4), e.Assigned(0, 1, 5, 6), e.Left(2, 7, -1),
    e.Returned(8, 9), e.Made(1, 2),
    e.Ran(1, -1, 0, (2, 3), (4,)), e.Ran(1, 0, 2, (), (4, 5)),
    e.Asked(0, 1, 0, (1,), (2, 3), (4, -1)), e.Asked(0, 0, 1, (), (), ()),
    e.Flowed(0, -1, 0, 1, 2, -1, 3, 4), e.Accumulated(0, 1, -1, 2),
]  # fmt: skip


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: type(event).__name__)
def test_an_event_survives_packing(event):
    assert e.unpack(e.KIND_OF[type(event)], e.pack(event)) == event


def test_the_examples_cover_every_kind():
    assert {type(event) for event in EXAMPLES} == set(e.KINDS)


def test_the_numbers_of_the_kinds_are_the_file_format():
    names = [kind.__name__ for kind in e.KINDS]
    assert names == [
        *("Opened", "Closed", "Watched", "Ran", "Read", "Assigned", "Left"),
        *("Returned", "Made", "Paused", "Resumed", "Reset", "Asked", "Flowed", "Accumulated"),
    ]
