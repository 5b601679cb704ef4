"""The README's code runs as printed and prints what the README says."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from tapelab.engine.op import REGISTRY

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"```(python|text)\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def registry():
    """The README declares an op; the registry forgets it afterwards."""
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


@pytest.mark.usefixtures("registry")
def test_the_code_prints_what_the_readme_says(tmp_path):
    scope = {}
    printed = ""
    checked = 0
    for number, (kind, text) in enumerate(BLOCKS):
        if kind == "text":
            assert printed == text
            printed, checked = "", checked + 1
            continue
        file = tmp_path / f"block_{number}.py"
        file.write_text(text, encoding="utf-8")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(text, str(file), "exec"), scope)
        printed += out.getvalue()
    assert checked == 7
    assert printed == ""


def test_the_readme_links_to_files_that_are_there():
    links = re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (README.parent / link).exists()]
    assert missing == []
