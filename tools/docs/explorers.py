"""Pictures alive in a frame: `{explorer}` shows what the code above makes, `{picture}` a file."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any, ClassVar, Final

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri
from sphinx.writers.html5 import HTML5Translator

from tools.docs.running import Notebook, blocks

FOLDER: Final = "_pictures"
HEIGHT: Final = 560
"""Of a frame in pixels, until its picture tells how high it is."""


class Picture(nodes.General, nodes.Element):
    """A picture on a page: its document, its title, and how high it is at first."""


class Explorer(SphinxDirective):
    """Show what the last line of code above is worth."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = {"height": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        """Run the code above, and keep the document of what it shows."""
        shown = self._shown()
        if not hasattr(shown, "to_html"):
            raise self.error(f"The code above ends with {shown!r}, which is no picture.")
        name = f"{self.env.docname.replace('/', '-')}-{self.lineno}.html"
        height = self.options.get("height", HEIGHT)
        options = {"html": shown.to_html(), "file": f"{FOLDER}/{name}", "height": height}
        return [Picture("", title=self.arguments[0], **options)]

    def _shown(self) -> Any:
        """The value of the last line of code above this place."""
        page = Path(self.env.doc2path(self.env.docname))
        code = [each for each in blocks(page.read_text(encoding="utf-8")) if each.kind == "python"]
        with Notebook(page.stem) as notebook:
            for block in code:
                if block.line < self.lineno:
                    notebook.run(block.text)
        return notebook.value


class Kept(SphinxDirective):
    """Show a picture that was made before, and is kept in a file beside the page."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = {"file": directives.path}

    def run(self) -> list[nodes.Node]:
        """Read the file."""
        file = Path(self.env.doc2path(self.env.docname)).with_name(self.options["file"])
        options = {
            "html": file.read_text("utf-8"),
            "file": f"{FOLDER}/{file.name}",
            "height": HEIGHT,
        }
        return [Picture("", title=self.arguments[0], **options)]


def draw(writer: HTML5Translator, node: Picture) -> None:
    """Write the document, a frame around it that reaches nothing, and a way to see it alone."""
    file = Path(writer.builder.outdir) / node["file"]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(node["html"], encoding="utf-8")
    here = writer.builder.get_target_uri(writer.builder.current_docname)
    address, title = relative_uri(here, node["file"]), escape(node["title"])
    writer.body.append(
        f'<figure class="explorer"><iframe src="{address}" title="{title}" loading="lazy"'
        f' sandbox="allow-scripts" style="height:{node["height"]}px"></iframe>'
        f'<figcaption>{title} (<a href="{address}">alone</a>)</figcaption></figure>\n'
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Give pages the directive."""
    app.add_node(Picture, html=(draw, None))
    app.add_directive("explorer", Explorer)
    app.add_directive("picture", Kept)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
