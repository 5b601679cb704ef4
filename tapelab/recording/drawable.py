"""What has a picture can be had in every form, under the same names and endings everywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO, StringIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tapelab.namespace.hooks import output_of, picture_of
from tapelab.recording.atomic_write import SUFFIX, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMS: Final = {
    ".html": "to_html",
    ".htm": "to_html",
    ".svg": "to_svg",
    ".png": "to_png",
    ".pdf": "to_pdf",
    ".dot": "to_dot",
    ".gv": "to_dot",
    ".json": "to_json",
    ".txt": "to_text",
}
"""What makes a file of each ending; `.tape` is the recording itself, where there is one."""


class Drawable:
    """A picture to look at and to save: its page, its figure and its graph are its own."""

    __slots__ = ()

    def to_html(self) -> str:
        """One HTML document that shows it anywhere, offline."""
        raise NotImplementedError

    def figure(self) -> Figure:
        """It as a Matplotlib figure; what is too large is folded, and says so."""
        raise NotImplementedError

    def to_dot(self) -> str:
        """The graph in the language of Graphviz, for `dot`."""
        raise NotImplementedError

    def to_json(self) -> Any:
        """All of it as data, for programs that are not ours."""
        raise NotImplementedError

    def to_text(self) -> str:
        """It as a terminal shows it."""
        return str(self)

    def to_svg(self) -> str:
        """It as an SVG for a page or a paper, drawn with Matplotlib."""
        buffer = StringIO()
        self.figure().savefig(buffer, format="svg", metadata={"Date": None})
        return buffer.getvalue()

    def to_png(self, *, dpi: float = 192) -> bytes:
        """It as an image, drawn with Matplotlib."""
        return self._image("png", dpi=dpi)

    def to_pdf(self) -> bytes:
        """It as a page that prints at any size, drawn with Matplotlib."""
        return self._image("pdf", metadata={"CreationDate": None})

    def _image(self, form: str, **options: Any) -> bytes:
        buffer = BytesIO()
        self.figure().savefig(buffer, format=form, **options)
        return buffer.getvalue()

    def export(self, path: str | PathLike[str]) -> Path:
        """Write one HTML file that shows it anywhere, offline."""
        return written(Path(path), self.to_html())

    def save(self, path: str | PathLike[str]) -> Path:
        """Write it in the form that the end of the file's name asks for; a file there is replaced.

        `.html`, `.svg`, `.png`, `.pdf`, `.dot`, `.json` and `.txt` are pictures and data; `.tape`,
        or no ending, is the recording, to be shown again with `tf.show(path)`.
        """
        file = Path(path)
        ending = file.suffix.lower()
        if ending in FORMS:
            return written(file, getattr(self, FORMS[ending])())
        recording = getattr(self, "recording", None)
        if ending not in {"", SUFFIX} or recording is None:
            known = [*FORMS] if recording is None else [SUFFIX, *FORMS]
            raise ValueError(
                f"A picture cannot be saved as {file.name!r}. Names of files may end in "
                f"{', '.join(known)}."
            )
        saved: Path = recording.save(file)
        return saved


class Pictured(Drawable):
    """What is drawn by a picture, which stands in a layer above, where this file must not look."""

    __slots__ = ()

    def _picture(self) -> Drawable:
        drawn: Drawable = picture_of(self)
        return drawn

    def to_html(self) -> str:
        """One HTML document that shows it anywhere, offline."""
        return self._picture().to_html()

    def figure(self) -> Figure:
        """The graph as a Matplotlib figure; what is too large is folded, and says so."""
        return self._picture().figure()

    def to_svg(self) -> str:
        """The graph as an SVG for a page or a paper; what is too large is folded, and says so."""
        return self._picture().to_svg()

    def to_dot(self) -> str:
        """The graph in the language of Graphviz, for `dot`."""
        return self._picture().to_dot()

    def to_json(self) -> Any:
        """All of it as data, for programs that are not ours."""
        return self._picture().to_json()

    def to_text(self) -> str:
        """It as a terminal shows it."""
        return self._picture().to_text()

    def _repr_mimebundle_(self, **_: Any) -> Any:
        """What a notebook shows where it ends a cell."""
        return output_of(self)


def written(file: Path, content: str | bytes | Mapping[str, Any]) -> Path:
    """Put what was made into a file, whole or not at all; its folder has to be there."""
    if not file.parent.is_dir():
        raise FileNotFoundError(
            f"There is no folder {str(file.parent)!r} to put {file.name!r} into. "
            "Make it first, or give another path."
        )
    if file.is_dir():
        raise IsADirectoryError(
            f"{str(file)!r} is a folder. Give the name of a file in it, such as "
            f"{str(file / 'picture.html')!r}."
        )
    if isinstance(content, Mapping):
        content = json.dumps(content, ensure_ascii=False, indent=1)
    return write(file, content.encode() if isinstance(content, str) else content)
