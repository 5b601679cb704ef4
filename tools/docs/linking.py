"""Names in the text lead to the reference: `tf.show` is a link wherever it is written."""

from __future__ import annotations

import re
from typing import Final

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.nodes import make_refnode

NAME: Final = re.compile(r"(tf(?:\.\w+)+)(?:\(.*\))?")
NO_LINKS: Final = (nodes.title, nodes.reference, addnodes.desc_signature)


def link(app: Sphinx, page: nodes.document, name: str) -> None:
    """Make links of the names on a page that the reference tells of, but for those it is about."""
    objects = app.env.domains["py"].objects
    for literal in list(page.findall(nodes.literal)):
        found = NAME.fullmatch(literal.astext())
        place = objects.get(found[1]) if found else None
        if place and not _is_inside(literal):
            link = make_refnode(app.builder, name, place.docname, place.node_id, literal.deepcopy())
            literal.replace_self(link)


def _is_inside(node: nodes.Node) -> bool:
    """Whether a node stands where links do not belong."""
    above = node.parent
    while above is not None:
        if isinstance(above, NO_LINKS):
            return True
        above = above.parent
    return False
