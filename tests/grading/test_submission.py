"""Reading what was handed in: every notebook that somebody can have saved, and nothing more."""

import io
import json
import os
import zipfile

import pytest

from tapelab.grading.submission import Submission, UnreadableSubmission
from tests.grading.corpora import notebook

CELLS = ["import tapelab as tf", "x = 1\ny = 2"]


def _saved(folder, content, name="ada.ipynb"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def _sources(path):
    return [cell.source for cell in Submission.read(path).cells]


def _zipped(folder, entries):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, message in entries:
            archive.writestr(name, message)
    return _saved(folder, content.getvalue(), "ada.zip")


def test_the_student_is_who_was_named_or_the_file(tmp_path):
    path = _saved(tmp_path, notebook(CELLS))
    assert Submission.read(path).student == "ada"
    assert Submission.read(path, "Ada L.").student == "Ada L."


def test_only_code_is_read_and_outputs_are_left(tmp_path):
    saved = notebook(CELLS)
    saved["cells"].insert(0, {"cell_type": "markdown", "metadata": {}, "source": "# Title"})
    assert _sources(_saved(tmp_path, saved)) == CELLS


def test_a_notebook_of_version_3_is_read(tmp_path):
    cells = [{"cell_type": "code", "input": [f"{each}\n"], "metadata": {}} for each in CELLS]
    saved = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]}
    assert _sources(_saved(tmp_path, saved)) == [f"{each}\n" for each in CELLS]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_notebook_is_read_in_the_encodings_of_editors(tmp_path, encoding):
    content = json.dumps(notebook(["π = 3"]), ensure_ascii=False).encode(encoding)
    assert _sources(_saved(tmp_path, content)) == ["π = 3"]


def test_line_ends_of_windows_are_read_as_all_others(tmp_path):
    assert _sources(_saved(tmp_path, notebook(["x = 1\r\ny = 2"]))) == ["x = 1\ny = 2"]


def test_a_script_is_parted_at_its_marks_and_its_text_left_out(tmp_path):
    script = b"x = 1\r\n# %% [markdown]\n# Title\n# %%\ny = 2\n"
    assert _sources(_saved(tmp_path, script, "ada.py")) == ["x = 1", "y = 2"]


def test_a_script_is_read_in_the_encoding_that_it_names(tmp_path):
    script = "# coding: latin-1\nname = 'é'\n".encode("latin-1")
    assert "é" in _sources(_saved(tmp_path, script, "ada.py"))[0]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b"{", "is no notebook"),
        (b"[1, 2]", "no nbformat"),
        (b"\xff\xff\xff", "is no notebook"),
        (b"[" * 200_000, "nested too deeply"),
        (json.dumps({"nbformat": 5, "cells": []}).encode(), "newer than 4"),
        (json.dumps({"nbformat": 4}).encode(), "is damaged"),
        (json.dumps({"nbformat": 4, "cells": [3]}).encode(), "is damaged"),
        (json.dumps({"nbformat": 4, "cells": {"a": 1}}).encode(), "is damaged"),
    ],
)
def test_a_damaged_notebook_is_refused_with_the_reason(tmp_path, content, why):
    with pytest.raises(UnreadableSubmission, match=why):
        Submission.read(_saved(tmp_path, content))


def test_a_file_that_is_not_there_is_refused_with_the_reason(tmp_path):
    with pytest.raises(UnreadableSubmission, match="No such file"):
        Submission.read(tmp_path / "none.ipynb")


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "ada.ipynb"
    with path.open("wb") as file:
        file.truncate(1 << 34)
    with pytest.raises(UnreadableSubmission, match="more than 64 MiB"):
        Submission.read(path)


def test_a_notebook_of_too_many_cells_is_refused(tmp_path):
    with pytest.raises(UnreadableSubmission, match="10000 cells"):
        Submission.read(_saved(tmp_path, notebook(["1"] * 10_001)))


def test_a_folder_brings_what_lies_beside_the_notebook(tmp_path):
    _saved(tmp_path, notebook(CELLS))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "größe.csv").write_text("1,2")
    assert dict(Submission.read(tmp_path).files) == {"data/größe.csv": b"1,2"}


def test_a_link_is_refused_wherever_it_stands(tmp_path):
    secret = _saved(tmp_path, notebook(CELLS), "solution.ipynb")
    folder = tmp_path / "ada"
    folder.mkdir()
    link = folder / "ada.ipynb"
    link.symlink_to(secret)
    for path in (folder, link):
        with pytest.raises(UnreadableSubmission, match="is a link"):
            Submission.read(path)


def test_a_folder_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "ada").mkdir()
    _saved(tmp_path / "ada", notebook(CELLS))
    (tmp_path / "ada" / "all").symlink_to("/")
    with pytest.raises(UnreadableSubmission, match="all is a link"):
        Submission.read(tmp_path / "ada")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_a_pipe_is_no_file_and_nobody_waits_for_it(tmp_path):
    os.mkfifo(tmp_path / "ada.ipynb")
    with pytest.raises(UnreadableSubmission, match="is no file"):
        Submission.read(tmp_path / "ada.ipynb")


def test_a_zip_archive_is_read_where_it_is(tmp_path):
    path = _zipped(tmp_path, [("work/ada.ipynb", json.dumps(notebook(CELLS))), ("work/a.py", "1")])
    submission = Submission.read(path)
    assert [cell.source for cell in submission.cells] == CELLS
    assert dict(submission.files) == {"work/a.py": b"1"}
    assert submission.folder == "work"
    assert [each.name for each in tmp_path.iterdir()] == ["ada.zip"]


@pytest.mark.parametrize("name", ["../up.py", "/etc/passwd", "C:/x.py", "a/../../b.py", "a\\..\\b"])
def test_an_archive_that_leads_out_of_itself_is_refused(tmp_path, name):
    path = _zipped(tmp_path, [("ada.ipynb", json.dumps(notebook(CELLS))), (name, "x")])
    with pytest.raises(UnreadableSubmission, match="leads out"):
        Submission.read(path)


def test_a_link_in_an_archive_is_refused(tmp_path):
    entry = zipfile.ZipInfo("ada.ipynb")
    entry.external_attr = 0o120777 << 16
    with pytest.raises(UnreadableSubmission, match="is a link"):
        Submission.read(_zipped(tmp_path, [(entry, "/etc/passwd")]))


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ada.ipynb", bytes(65 << 20))
    with pytest.raises(UnreadableSubmission, match="more than 64 MiB"):
        Submission.read(_saved(tmp_path, content.getvalue(), "ada.zip"))


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_whose_unpacking_may_take_all_memory_is_refused(tmp_path, packing):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", packing) as archive:
        archive.writestr("ada.ipynb", json.dumps(notebook(CELLS)))
    with pytest.raises(UnreadableSubmission, match="packed in an unusual way"):
        Submission.read(_saved(tmp_path, content.getvalue(), "ada.zip"))


def test_an_archive_of_too_many_entries_is_refused_before_they_are_listed(tmp_path):
    content = b"PK" + b"PK\1\2" * 100_001
    with pytest.raises(UnreadableSubmission, match="too many entries"):
        Submission.read(_saved(tmp_path, content, "ada.zip"))


@pytest.mark.parametrize("coding", ["punycode", "idna", "unicode_escape", "utf-7", "rot13", "zip"])
def test_a_script_in_an_encoding_that_is_not_of_text_is_refused(tmp_path, coding):
    script = f"# coding: {coding}\nname = 1\n".encode() + b"a" * 100_000 + b"-99999"
    with pytest.raises(UnreadableSubmission, match="no text that can be read"):
        Submission.read(_saved(tmp_path, script, "ada.py"))


@pytest.mark.parametrize("coding", ["cp1252", "iso-8859-15", "utf8", "gbk", "shift_jis", "koi8-r"])
def test_a_script_in_an_encoding_of_editors_is_read(tmp_path, coding):
    script = f"# coding: {coding}\nname = 1\n".encode(coding)
    assert "name = 1" in _sources(_saved(tmp_path, script, "ada.py"))[0]


def test_a_damaged_archive_is_refused_with_the_reason(tmp_path):
    with pytest.raises(UnreadableSubmission, match="cannot be unpacked"):
        Submission.read(_saved(tmp_path, b"PK nothing", "ada.zip"))


def test_several_notebooks_are_one_too_many(tmp_path):
    for name in ("a.ipynb", "b.ipynb"):
        _saved(tmp_path, notebook(CELLS), name)
    with pytest.raises(UnreadableSubmission, match="more than one"):
        Submission.read(tmp_path)


def test_the_digest_follows_from_the_content_and_not_from_the_name(tmp_path):
    one, same = (_saved(tmp_path, notebook(CELLS), name) for name in ("a.ipynb", "b.ipynb"))
    other = _saved(tmp_path, notebook(["x = 2"]), "c.ipynb")
    digests = [Submission.read(path).digest for path in (one, same, other)]
    assert digests[0] == digests[1] != digests[2]
