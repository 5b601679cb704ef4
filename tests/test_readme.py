"""The README's code runs as printed and prints what the README says."""

import re
from pathlib import Path

from tools.docs.running import blocks, differences

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_the_code_prints_what_the_readme_says():
    assert differences(README) == []
    assert [block.kind for block in blocks(TEXT)] == ["python", "text"] * 4


def test_the_readme_links_to_files_that_are_there():
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    missing = [link for link in links if "://" not in link and not (README.parent / link).exists()]
    assert links
    assert missing == []
