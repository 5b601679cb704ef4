"""`{explorer}`: the picture that the code above it shows, alive in a frame, made with the page."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any, ClassVar, Final

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri

from tools.docs.running import Notebook, blocks

FOLDER: Final = "_pictures"
HEIGHT: Final = 560


class Explorer(SphinxDirective):
    """Write the picture of the last line of code into a file, and a frame that shows it."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = {"height": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        """Run the code above, and show what it is worth."""
        shown = self._shown()
        if not hasattr(shown, "to_html"):
            raise self.error(f"The code above ends with {shown!r}, which is no picture.")
        name = f"{self.env.docname.replace('/', '-')}-{self.lineno}.html"
        folder = Path(self.env.app.outdir) / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(shown.to_html(), encoding="utf-8")
        target = self.env.app.builder.get_target_uri(self.env.docname)
        return [nodes.raw("", self._frame(relative_uri(target, f"{FOLDER}/{name}")), format="html")]

    def _shown(self) -> Any:
        """The value of the last line of code above this place."""
        page = Path(self.env.doc2path(self.env.docname))
        code = [each for each in blocks(page.read_text(encoding="utf-8")) if each.kind == "python"]
        with Notebook(page.stem) as notebook:
            for block in code:
                if block.line < self.lineno:
                    notebook.run(block.text)
        return notebook.value

    def _frame(self, address: str) -> str:
        """A frame that reaches nothing outside of itself, and a way to see it alone."""
        title, height = escape(self.arguments[0]), self.options.get("height", HEIGHT)
        return (
            f'<figure class="explorer"><iframe src="{address}" title="{title}" loading="lazy"'
            f' sandbox="allow-scripts" style="height:{height}px"></iframe>'
            f'<figcaption>{title} (<a href="{address}">alone</a>)</figcaption></figure>'
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Give pages the directive."""
    app.add_directive("explorer", Explorer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
