"""The steps of values as columns: what is reached, and the way with the fewest cuts."""

import numpy as np

from tapelab.diagnosis.edges import NUMBER_OF, Cut, Edge, Edges


def edges(*rows):
    """Edges from rows of origin, to, event and perhaps a cut."""
    made = [(*row[:3], 0, NUMBER_OF[row[3]] if len(row) > 3 else 0, 1) for row in rows]
    return Edges(np.array(made, np.int64).reshape(-1, 6).T)


def flags(*tensors, of=6):
    return bytearray(int(each in tensors) for each in range(of))


def cheapest(edges, target, end):
    """The path back along which cuts cost one each."""
    return edges.cheapest((target,), flags(end), [int(cut > 0) for cut in edges.cut])


def reached(found):
    return [at for at, flag in enumerate(found) if flag]


FORK = edges((0, 1, 0), (1, 2, 1), (0, 3, 2), (2, 4, 3), (3, 4, 3), (4, 5, 4))


def test_what_leads_to_a_tensor_is_found_in_one_pass():
    assert reached(FORK.back(flags(4), flags(), None)) == [0, 1, 2, 3, 4]


def test_nothing_beyond_an_end_is_reached():
    assert reached(FORK.back(flags(4), flags(2), None)) == [0, 2, 3, 4]


def test_only_some_edges_are_followed():
    follows = FORK.columns[1] != 2
    assert reached(FORK.back(flags(4), flags(), follows)) == [0, 2, 3, 4]


def test_what_is_reached_from_a_tensor():
    assert reached(FORK.ahead(flags(1), None)) == [1, 2, 4, 5]


def test_edges_are_put_in_the_order_of_their_events():
    turned = edges((2, 4, 3), (0, 1, 0), (1, 2, 1))
    assert turned.event == [0, 1, 3]
    assert reached(turned.back(flags(4), flags(), None)) == [0, 1, 2, 4]


def test_the_way_with_fewer_cuts_is_taken_even_if_it_is_longer():
    both = edges((0, 1, 0, Cut.STOPPED), (0, 2, 1), (2, 3, 2), (1, 4, 3), (3, 4, 3))
    assert [both.to[at] for at in cheapest(both, 4, 0)] == [4, 3, 2]


def test_the_shorter_way_is_taken_of_those_with_as_many_cuts():
    assert [FORK.to[at] for at in cheapest(FORK, 4, 0)] == [4, 3]


def test_there_is_no_way_to_what_is_not_connected():
    assert cheapest(FORK, 3, 1) == []


def test_edges_are_grouped_by_what_they_lead_to_and_start_at():
    assert FORK.into[4] == [Edge(2, 4, 3, taped=True), Edge(3, 4, 3, taped=True)]
    assert [edge.to for edge in FORK.out_of[0]] == [1, 3]
    assert FORK.into.get(0) == []
    assert FORK.into.get(0, ()) == ()
    assert list(FORK.out_of) == [0, 1, 2, 3, 4]
