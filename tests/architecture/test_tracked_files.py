"""What is tracked works on any machine: no paths of one, no addresses a lock file recorded."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]

MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|tmp/\w+|(?:home|Users)/[A-Za-z]\w*)/")
LOCK_ADDRESS = re.compile(r'"resolved"\s*:\s*"https?:')


def tracked_texts():
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    for name in filter(None, names):
        path = CHECKOUT / name
        content = path.read_bytes() if path.is_file() else b""
        if b"\0" not in content:
            yield name, content.decode("utf-8")


def test_no_tracked_file_names_a_path_of_one_machine():
    texts = dict(tracked_texts())
    found = {name: match[0] for name, text in texts.items() if (match := MACHINE_PATH.search(text))}
    assert "pyproject.toml" in texts
    assert found == {}


def test_no_lock_file_records_download_addresses():
    locks = {name: text for name, text in tracked_texts() if name.endswith("package-lock.json")}
    assert locks
    assert [name for name, text in locks.items() if LOCK_ADDRESS.search(text)] == []


# Put together here, so that this file is no case of what it looks for.
@pytest.mark.parametrize("parts", ["root x", "home ada x", "tmp scratch x", "Users Ada x"])
def test_a_machine_path_would_be_noticed(parts):
    assert MACHINE_PATH.search("see /" + "/".join(parts.split()))


@pytest.mark.parametrize("text", ["a/work/b", "notebooks/home/x", "/home/", "./tmp/x/"])
def test_a_relative_path_is_no_machine_path(text):
    assert not MACHINE_PATH.search(text)


def test_a_download_address_would_be_noticed():
    assert LOCK_ADDRESS.search('"{}": "https://example.org/a.tgz"'.format("resolved"))
