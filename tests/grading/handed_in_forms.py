"""Forms in which a notebook is handed in: encodings, formats, scripts, archives, folders, names.

Each form writes the cells of a notebook into a folder, and gives the path that was handed in.
"""

from __future__ import annotations

import io
import json
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Form = Callable[[Path, dict[str, Any]], Path]
NAME = "handed in.ipynb"


def encoded(encoding: str, **options: Any) -> Form:
    """A notebook in an encoding, its JSON written with some options."""

    def write(folder: Path, notebook: dict[str, Any]) -> Path:
        (folder / NAME).write_bytes(json.dumps(notebook, **options).encode(encoding))
        return folder / NAME

    return write


def big_end_first(folder: Path, notebook: dict[str, Any]) -> Path:
    """Two bytes a letter, in the order of networks."""
    (folder / NAME).write_bytes(b"\xfe\xff" + json.dumps(notebook).encode("utf-16-be"))
    return folder / NAME


def line_ends(folder: Path, notebook: dict[str, Any]) -> Path:
    """JSON whose lines end as Windows ends them, after empty ones."""
    text = "\n\n" + json.dumps(notebook, indent=1) + "\n\n"
    (folder / NAME).write_bytes(text.replace("\n", "\r\n").encode())
    return folder / NAME


def changed(change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Form:
    """A notebook whose JSON is changed before it is written."""

    def write(folder: Path, notebook: dict[str, Any]) -> Path:
        (folder / NAME).write_text(json.dumps(change(notebook) or notebook), encoding="utf-8")
        return folder / NAME

    return write


def of_each_cell(**parts: Any) -> Form:
    """A notebook each of whose cells has these parts."""
    return changed(lambda notebook: [cell.update(parts) for cell in notebook["cells"]] and notebook)


def with_metadata(**parts: Any) -> Form:
    """A notebook with this metadata."""
    return changed(lambda notebook: notebook["metadata"].update(parts))


def version_3(notebook: dict[str, Any]) -> dict[str, Any]:
    """The format of IPython's notebooks before Jupyter, its cells on two sheets."""
    cells = [
        {"cell_type": "code", "input": cell["source"], "language": "python", "outputs": []}
        for cell in notebook["cells"]
    ]
    sheets = [{"cells": cells[:1], "metadata": {}}, {"cells": cells[1:], "metadata": {}}]
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": sheets}


def without_ids(notebook: dict[str, Any]) -> None:
    """The first minor version of format 4."""
    notebook["nbformat_minor"] = 0
    for cell in notebook["cells"]:
        del cell["id"]


def lines_apart(notebook: dict[str, Any]) -> None:
    """Each line of a cell by itself, as Jupyter saves it."""
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].splitlines(keepends=True)


def text_between(notebook: dict[str, Any]) -> None:
    """Cells of other kinds, with what looks like code in them."""
    fence = "```python\n1 / 0\n```\n![](attachment:a.png)"
    raw = {"cell_type": "raw", "metadata": {"format": "text/restructuredtext"}, "source": "1 / 0"}
    text = {"cell_type": "markdown", "metadata": {}, "source": fence, "attachments": {"a.png": {}}}
    notebook["cells"] = [
        each for cell in notebook["cells"] for each in (raw | {"id": "r"}, text | {"id": "t"}, cell)
    ]


OUTPUTS = [
    {"output_type": "stream", "name": "stderr", "text": ["\x1b[31mred\x1b[0m\n"] * 200},
    {"output_type": "error", "ename": "E", "evalue": "", "traceback": ["\x00", "\u2028"]},
    {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * (1 << 20)}},
    {"output_type": "execute_result", "metadata": {}, "execution_count": 3,
     "data": {"text/html": ["<script>1</script>"], "application/vnd.plotly.v1+json": {"a": [1]}}},
    {"output_type": "unheard of"}, "no output", None,
]  # fmt: skip
COLAB = {"colab": {"provenance": [], "name": "a.ipynb"}, "accelerator": "GPU", "kernelspec": {}}
WIDGETS = {"widgets": {"application/vnd.jupyter.widget-state+json": {"state": {"a": {"b": 1}}}}}


def script(
    name: str, mark: str, *, head: str = "", encoding: str = "utf-8", end: str = "\n"
) -> Form:
    """A script of the cells, which a mark parts."""

    def write(folder: Path, notebook: dict[str, Any]) -> Path:
        text = head + "".join(f"\n{mark}\n{cell['source']}\n" for cell in notebook["cells"])
        (folder / name).write_bytes(text.replace("\n", end).encode(encoding))
        return folder / name

    return write


LIGHT = "# ---\n# jupyter:\n#   jupytext:\n#     formats: ipynb,py:percent\n# ---\n"


def archived(name: str, *beside: tuple[str, bytes], inner: str = NAME) -> Form:
    """An archive of the notebook and other entries, packed as the ending of its name says."""

    def write(folder: Path, notebook: dict[str, Any]) -> Path:
        entries = [*beside, (inner, json.dumps(notebook).encode())]
        if name.endswith(".zip"):
            with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as packed:
                for entry, content in entries:
                    packed.writestr(entry, content)
            return folder / name
        with tarfile.open(folder / name, f"w:{name.rpartition('.')[2].removeprefix('t')}") as tar:
            for entry, content in entries:
                header = tarfile.TarInfo(entry)
                header.size = len(content)
                tar.addfile(header, io.BytesIO(content))
        return folder / name

    return write


def placed(place: str, **beside: bytes) -> Form:
    """A folder in which the notebook has a place, and other files lie beside it."""

    def write(folder: Path, notebook: dict[str, Any]) -> Path:
        path = folder / "ada" / place
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook), encoding="utf-8")
        for name, content in beside.items():
            (path.parent / name.replace("__", ".")).write_bytes(content)
        checkpoints = path.parent / ".ipynb_checkpoints"
        checkpoints.mkdir()
        (checkpoints / "work-checkpoint.ipynb").write_text("{")
        return folder / "ada"

    return write


def called(name: str) -> Form:
    """A notebook with another name."""

    def write(folder: Path, notebook: dict[str, Any]) -> Path:
        (folder / name).write_text(json.dumps(notebook), encoding="utf-8")
        return folder / name

    return write


NOTEBOOKS: dict[str, Form] = {
    "a byte order mark": encoded("utf-8-sig"),
    "UTF-16": encoded("utf-16", ensure_ascii=False),
    "UTF-16, big end first": big_end_first,
    "letters as they are": encoded("utf-8", ensure_ascii=False, indent=4, sort_keys=True),
    "no white space": encoded("ascii", separators=(",", ":")),
    "Windows lines": line_ends,
    "format 3": changed(version_3),
    "format 4.0": changed(without_ids),
    "lines apart": changed(lines_apart),
    "text and raw cells": changed(text_between),
    "outputs of all kinds": of_each_cell(outputs=OUTPUTS),
    "outputs that are none": of_each_cell(outputs=None),
    "counts that are none": of_each_cell(execution_count="7", id=7),
    "one id for all": of_each_cell(id="same", metadata={"tags": ["skip", 1], "collapsed": None}),
    "metadata that is none": of_each_cell(metadata=None),
    "metadata of Colab": with_metadata(**COLAB),
    "metadata of widgets": with_metadata(**WIDGETS),
    "a kernel of its own": with_metadata(kernelspec={"name": "python2", "language": "julia"}),
    "a minor format to come": changed(lambda notebook: notebook.update(nbformat_minor=99)),
    "unknown keys": changed(lambda notebook: notebook.update(extra={"a": [None, 1e999]})),
    "zip": archived("ada.zip"),
    "zip of a Mac": archived(
        "ada.zip", ("__MACOSX/work/._a.ipynb", b"fork"), ("work/.DS_Store", b"\0"),
        inner="work/a.ipynb",
    ),
    "zip with data": archived("ada.zip", ("data/numbers.csv", b"1,2\n"), ("read me.txt", b"hi")),
    "zip of odd names": archived("ada.zip", ("größe.txt", b""), inner="aufgabe 1 (копия).ipynb"),
    "tar.gz": archived("ada.tar.gz", inner="./work/a.ipynb"),
    "tar.xz": archived("ada.tar.xz"),
    "tar.bz2": archived("ada.tar.bz2"),
    "tgz": archived("ada.tgz"),
    "folder": placed("work.ipynb", data__csv=b"1,2\n", helper__py=b"ANSWER = 1\n"),
    "folder of folders": placed("a/b/c d/work.ipynb", data__bin=bytes(range(256))),
    "name in capitals": called("ADA.IPYNB"),
    "name of a browser": called("ada (1).ipynb.txt"),
    "name of a mail": called("ada.ipynb.json"),
    "name in parts": called(unicodedata.normalize("NFD", "zoë å.ipynb")),
    "name of other letters": called("מרים-作业-🎓.ipynb"),
    "name like an option": called("-rf *.ipynb"),
    "name with quotes": called("o'hara \"x\" $(id).ipynb"),
    "name with points": called("...ada.v2.final.ipynb"),
}  # fmt: skip
SCRIPTS: dict[str, Form] = {
    "script": script("ada.py", "# %%"),
    "script with titles": script("ada.py", "#%% [code] A title (of a cell)", head=LIGHT),
    "script of a browser": script("ada.py.txt", "# %%"),
    "script in one piece": script("ada.py", "# In[ ]:", head="#!/usr/bin/env python\n"),
    "script of Windows": script("ada.py", "# %%", encoding="utf-8-sig", end="\r\n"),
    "script in UTF-16": script("ada.py", "# %%", encoding="utf-16"),
    "script in Latin-1": script(
        "ada.py", "# %%", head="# -*- coding: latin-1 -*-\nname = 'Zoë'\n", encoding="latin-1"
    ),
    "script of an old Mac": script("ada.py", "# %%", end="\r"),
}  # fmt: skip
FORMS = {**NOTEBOOKS, **SCRIPTS}
