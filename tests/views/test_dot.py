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


def test_a_long_loop_is_one_node_with_its_count(golden):
    source = digraph(golden("chain")).source
    assert '"×2000  y' in source.replace("label=", "")
    assert source.count("->") == 1


def test_what_is_used_in_every_iteration_has_one_edge_to_the_folded_loop(golden):
    source = digraph(golden("iterations")).source
    assert source.count("->") == 1
    assert "×14  y" in source
