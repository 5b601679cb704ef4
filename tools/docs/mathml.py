"""Mathematics as MathML, which browsers draw by themselves: no script, no font from elsewhere."""

from __future__ import annotations

from typing import Final

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.logging import getLogger
from sphinx.writers.html5 import HTML5Translator

NAME: Final = "mathml"
LOGGER: Final = getLogger(__name__)


def inline(writer: HTML5Translator, node: nodes.math) -> None:
    """Write mathematics within a line."""
    writer.body.append(markup(node))
    raise nodes.SkipNode


def block(writer: HTML5Translator, node: nodes.math_block) -> None:
    """Write mathematics on a line of its own, which scrolls by itself where it is too wide."""
    writer.body.append(f'<div class="formula">{markup(node)}</div>\n')
    raise nodes.SkipNode


def markup(node: nodes.Element) -> str:
    """The LaTeX of a node as MathML; a warning where it is not understood, and nothing."""
    try:
        return str(tex2mathml(node.astext(), as_block=isinstance(node, nodes.math_block)))
    except MathError as error:
        LOGGER.warning("%s in %r", error, node.astext(), location=node, type="mathml")
        return ""


def setup(app: Sphinx) -> dict[str, bool]:
    """Make MathML what Sphinx writes for mathematics."""
    app.add_html_math_renderer(NAME, (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
