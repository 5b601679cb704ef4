"""A notebook that has run as a page of the site: text, code, and what came out of it."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any, Final

from tools import glossary

FENCE: Final = "`" * 8
GLOSSARY: Final = "../../reference/glossary.md"
SOLVED: Final = """```{note}
This is the lesson solved and run: read on, and step through the pictures. To predict, to answer
and to be judged, take it in a notebook of your own, with `tapelab lab` ([](../installing.md)).
```"""
_FRAME: Final = re.compile(r'<iframe [^>]*?\bsrcdoc="([^"]*)"')
_RECORDING: Final = "tapelab-recording"
_LINK: Final = re.compile(r"\]\(([\w-]+)\.ipynb(?:#([\w-]+))?\)")
_TITLE: Final = re.compile(r"""plt\.title\(f?["'](.+?)["']\)""")
_COLOUR: Final = re.compile(r"\x1b\[[\d;]*m")


@dataclass
class Page:
    """The page of a lesson, and the files beside it that its pictures are in."""

    name: str
    files: dict[str, bytes] = field(default_factory=dict)

    def write(self, notebook: Any, folder: Path) -> None:
        """Write the page of a notebook, and its pictures, into a folder."""
        text = "\n\n".join(self._parts(notebook.cells)) + "\n"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.md").write_text(text, encoding="utf-8")
        for file, content in self.files.items():
            (folder / file).write_bytes(content)

    def _parts(self, cells: list[Any]) -> Iterator[str]:
        for number, cell in enumerate(cells):
            if cell.cell_type == "markdown":
                yield linked(cell.source)
            else:
                yield f"{FENCE}{{code-block}} python\n{cell.source}\n{FENCE}"
                yield from (self._output(each, cell.source) for each in cell.outputs)
            if number == 0:
                yield SOLVED

    def _output(self, output: Any, code: str) -> str:
        """What a cell has shown, in the form that says most without a kernel."""
        data = output.get("data", {})
        frame = _FRAME.search(html := data.get("text/html", ""))
        if frame and _RECORDING in html:
            file = self._kept(unescape(frame[1]).encode(), "html")
            return f"```{{picture}} {_heading(data['text/plain'])}\n:file: {file}\n```"
        if "image/png" in data:
            title = _TITLE.search(code)
            file = self._kept(base64.b64decode(data["image/png"]), "png")
            return f"![{title[1] if title else 'What the cell above draws'}]({file})"
        text = _COLOUR.sub("", output.get("text", data.get("text/plain", ""))).rstrip("\n")
        return f"{FENCE}{{code-block}} text\n:class: output\n\n{text}\n{FENCE}"

    def _kept(self, content: bytes, ending: str) -> str:
        """The name of a new file beside the page."""
        file = f"{self.name}-{len(self.files) + 1}.{ending}"
        self.files[file] = content
        return file


def linked(text: str) -> str:
    """Links between notebooks as links between pages."""
    return _LINK.sub(_page, text)


def _page(link: re.Match[str]) -> str:
    name, place = link.groups()
    if f"{name}.ipynb" == glossary.NAME:
        return f"]({GLOSSARY}{f'#{place.lower()}' if place else ''})"
    return f"]({name}.md)"


def _heading(plain: str) -> str:
    """The first line of a picture in plain text, to call its frame by."""
    return plain.strip().split("\n")[0].strip()
