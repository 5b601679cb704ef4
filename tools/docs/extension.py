"""The Sphinx extension of this site: what is generated, what runs, and how names are linked."""

from __future__ import annotations

from typing import Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.parsing import nested_parse_to_nodes

from tools.docs import (
    answers,
    command,
    describing,
    explorers,
    linking,
    mathml,
    ops,
    timing,
    trained_models,
)

PARTS: Final = (mathml, explorers, trained_models)


class Generated(SphinxDirective):
    """A piece of a page that is written by code, as Markdown."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Write the piece, and parse it as if it stood on the page."""
        text = self.markdown()
        return nested_parse_to_nodes(self.state, text, source=f"<{self.name}>")

    def markdown(self) -> str:
        """The text of the piece."""
        raise NotImplementedError


class Names(Generated):
    """All names of the parts of the namespace that the content lists."""

    def markdown(self) -> str:
        """Describe each thing once."""
        return describing.described(" ".join(self.content).split())


class Ops(Generated):
    """The ops that the files of the content declare."""

    def markdown(self) -> str:
        """Tell what each computes, and how gradients and tangents pass."""
        return ops.table(" ".join(self.content).split())


class Command(Generated):
    """The command line."""

    def markdown(self) -> str:
        """Let the command tell of itself."""
        return command.described()


class Answers(Generated):
    """The wrong answers that the tests foresee."""

    def markdown(self) -> str:
        """Judge them, and tell what is said to them."""
        return answers.described()


class Timings(Generated):
    """How long the lessons take."""

    def markdown(self) -> str:
        """Count what is to be read, and read the clock of what has run."""
        return timing.described()


DIRECTIVES: Final = {
    "names": Names,
    "ops": Ops,
    "command": Command,
    "answers": Answers,
    "timings": Timings,
}


def setup(app: Sphinx) -> dict[str, bool]:
    """Give the site what its pages ask for."""
    for part in PARTS:
        part.setup(app)
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.connect("doctree-resolved", linking.link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
