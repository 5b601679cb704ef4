"""The graph as a screen reader has it: the accessibility tree of chromium, walked by arrow keys."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.axe import violations_in_any_colours
from tests.ui.test_search import LAYERS
from tests.ui.views import Views


class Tree:
    """The accessibility tree of a page, as chromium gives it to a screen reader."""

    def __init__(self, views: Views) -> None:
        self._page = views.page
        self._session = views.page.context.new_cdp_session(views.page)
        self._session.send("Accessibility.enable")

    def nodes(self) -> dict[str, dict]:
        found = self._session.send("Accessibility.getFullAXTree")["nodes"]
        return {each["nodeId"]: each for each in found}

    def graph(self) -> dict:
        (graph,) = [
            each
            for each in self.nodes().values()
            if _word(each, "role") == "tree" and not each["ignored"]
        ]
        return graph

    def items(self) -> list[dict]:
        """All nodes of the graph, below whatever else stands between."""
        nodes, found = self.nodes(), []
        open_ids = list(self.graph()["childIds"])
        while open_ids:
            node = nodes[open_ids.pop(0)]
            if _word(node, "role") == "treeitem":
                found.append(node)
            else:
                open_ids = list(node["childIds"]) + open_ids
        return found

    def strangers(self) -> list[str]:
        """What the graph has besides its items and can be read out."""
        nodes, found = self.nodes(), []
        open_ids = list(self.graph()["childIds"])
        while open_ids:
            node = nodes[open_ids.pop(0)]
            if _word(node, "role") == "treeitem":
                continue
            if not node["ignored"] and _word(node, "role") not in {"none", "generic"}:
                found.append(f"{_word(node, 'role')} {_word(node, 'name')}")
            open_ids += node["childIds"]
        return found

    def spoken(self) -> str:
        """What is said where the focus is: the item that the graph points at."""
        related = _property(self.graph(), "activedescendant")["relatedNodes"]
        (backend,) = [each["backendDOMNodeId"] for each in related]
        (item,) = [each for each in self.items() if each["backendDOMNodeId"] == backend]
        return _word(item, "name")


def _word(node: dict, name: str) -> str:
    return node.get(name, {}).get("value", "")


def _property(node: dict, name: str) -> dict:
    return next(each["value"] for each in node["properties"] if each["name"] == name)


def test_each_node_is_an_item_with_its_op_value_gradient_and_edges(show):
    views = show("scene_a")
    views.press("End")
    assert [_word(each, "name") for each in Tree(views).items()] == [
        "x. variable, value 3.0000, float32, a scalar, gradient 3.0100. To x * y, tf.sin(x).",
        "y. variable, value 4.0000, float32, a scalar, gradient 3.0000. To x * y.",
        "x * y. Multiply, value 12.0000, float32, a scalar, gradient 1.0000. From x, y. To z.",
        "tf.sin(x). Sine, value 0.1411, float32, a scalar, gradient 1.0000. From x. To z.",
        "z. Add, value 12.1411, float32, a scalar, gradient 1.0000. From x * y, tf.sin(x).",
    ]


def test_the_tree_holds_nothing_but_its_items_and_says_where_we_are(show):
    views = show("scene_a")
    tree = Tree(views)
    assert tree.strangers() == []
    assert _word(tree.graph(), "name") == "Graph"
    assert _word(tree.graph(), "description") == "Graph of tape: 5 nodes"
    views.press("ArrowRight")
    assert _word(tree.graph(), "description") == "Graph of tape: 5 nodes, at x"


def test_arrows_walk_the_edges_and_what_is_reached_says_how(show):
    views = show("scene_a")
    tree = Tree(views)
    views.press("End")
    views.graph.focus()
    views.press("Enter")
    assert tree.spoken().startswith("y. variable")
    views.press("ArrowRight")
    assert tree.spoken().startswith("x * y. Output 1 of 1 of y. 3.0000 comes back along this edge.")
    views.press("ArrowLeft", "ArrowUp")
    assert tree.spoken().startswith("x. Input 1 of 2 of x * y. 4.0000 comes back along this edge.")
    views.stands_at(11, of=11)
    views.press("Escape", "ArrowLeft")
    views.stands_at(10, of=11)
    expect(views.graph).to_be_focused()


def test_a_painted_graph_speaks_of_the_node_and_its_neighbours(show):
    views = show(
        "x = tf.Variable(0.5, name='x')\n"
        "with tf.GradientTape() as tape:\n    y = x\n"
        "    for _ in range(400):\n        y = 0.5 * tf.tanh(y) + x\n"
        "tape.gradient(y, x)\nrecording = tape.recording()"
    )
    tree = Tree(views)
    views.button("Unfold all").click()
    expect(views.graph.locator("canvas")).to_be_visible()
    views.graph.focus()
    views.press("End", "ArrowDown")
    here = tree.spoken()
    assert "value" in here
    assert 1 < len(tree.items()) < 30
    views.press("ArrowRight")
    assert tree.spoken() != here
    assert "comes back along this edge" in tree.spoken()
    views.press("ArrowLeft")
    assert tree.spoken().split(".")[0] == here.split(".")[0]


def test_a_closed_group_says_how_much_is_in_it_and_opens_by_key(show):
    views = show(
        "x = tf.Variable(0.5, name='x')\n"
        "with tf.GradientTape() as tape:\n    y = x\n"
        "    for _ in range(100):\n        y = 0.5 * tf.tanh(y) + x\n"
        "tape.gradient(y, x)\nrecording = tape.recording()"
    )
    tree = Tree(views)
    folded = [each for each in tree.items() if "folded, ×100" in _word(each, "name")]
    assert [_property(each, "expanded")["value"] for each in folded] == [False]
    views.graph.focus()
    views.press("ArrowDown", "ArrowDown")
    assert "folded, ×100" in tree.spoken()
    views.press("Enter")
    assert len(tree.items()) > 5
    levels = {_property(each, "level")["value"] for each in tree.items()}
    assert levels == {1, 2}


def test_axe_finds_nothing_in_the_tree(show):
    views = show(LAYERS, reduced_motion="reduce")
    views.graph.focus()
    for keys in (["ArrowDown"], ["ArrowRight"], ["Escape", "End"]):
        views.press(*keys)
        assert violations_in_any_colours(views.root) == []
