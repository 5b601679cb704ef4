from __future__ import annotations

from tapelab.views.dot import digraph


def test_each_node_shows_its_op_its_value_and_its_gradient(golden):
    source = digraph(golden("scene_a")).source
    assert r'"×  x * y\n12.0000\ngradient 1.0000"' in source
    assert r'"x\n3.0000\ngradient 3.0100"' in source
    assert source.count("->") == 5


def test_the_cut_is_marked_where_a_value_leaves_the_tape(golden):
    source = digraph(golden("numpy_detour")).source
    assert source.count('label="×"') == 1
    assert r"gradient None" in source


def test_an_empty_tape_draws_an_empty_graph(golden):
    assert "->" not in digraph(golden("empty")).source
