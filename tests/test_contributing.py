"""CONTRIBUTING.md is true: its code runs, its commands and paths exist, its map is up to date."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.architecture.test_layers import LAYER_OF
from tools import layers
from tools.docs.running import differences

CHECKOUT = Path(__file__).parents[1]
PAGE = CHECKOUT / "CONTRIBUTING.md"
TEXT = PAGE.read_text("utf-8")
PAGES = [
    *(CHECKOUT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")),
    CHECKOUT / ".github" / "pull_request_template.md",
    CHECKOUT / "docs" / "howto" / "release.md",
]
SHELL = re.compile(r"(?ms)^( *)```sh\n(.*?)^\1```$")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)+/?|[\w-]+/)`")
MAKE = re.compile(r"`make ([a-z-]+)")
OUTSIDE = {"git", "pre-commit"}
"""Programs whose commands are not run here: they would change the checkout or publish."""


def commands(text: str) -> list[list[str]]:
    """The commands in blocks of `sh`, split into words, without comments."""
    lines = [line for _, block in SHELL.findall(text) for line in block.splitlines()]
    return [words for line in lines if (words := shlex.split(line, comments=True))]


COMMANDS = [words for page in PAGES for words in commands(page.read_text("utf-8"))]
TESTS = [words for words in COMMANDS if words[:3] == ["python", "-m", "pytest"]]
CHECKS = [words for words in COMMANDS if words[-1] == "--check"]


def anchors(page: Path) -> set[str]:
    """The anchors of a Markdown page's headings, as GitHub and the site write them."""
    headings = re.findall(r"(?m)^#+ (.+)$", page.read_text("utf-8"))
    kept = (re.sub(r"[^\w\s-]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in kept}


def test_the_code_prints_what_the_page_says():
    assert differences(PAGE) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_leads_to_a_file_and_a_heading(page):
    links = [link for link in LINK.findall(page.read_text("utf-8")) if "://" not in link]
    broken = []
    for link in links:
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_path_exists(page):
    paths = set(PATH.findall(page.read_text("utf-8"))) - {"dist/"}
    assert [path for path in paths if not (CHECKOUT / path).exists()] == []


def test_every_make_target_exists():
    targets = {name for page in PAGES for name in MAKE.findall(page.read_text("utf-8"))}
    targets |= {words[1] for words in COMMANDS if words[0] == "make"}
    assert len(targets) > 4
    for target in targets:
        planned = subprocess.run(["make", "-n", target], cwd=CHECKOUT, capture_output=True,
                                 text=True, check=False)  # fmt: skip
        assert planned.returncode == 0, planned.stderr


def test_every_other_command_names_a_program_that_exists():
    assert len(COMMANDS) > 20
    for words in COMMANDS:
        match words:
            case ["make", *_]:
                continue
            case ["python", "-m", module, *_]:
                assert find_spec(module), words
            case [".", path]:
                assert path == ".venv/bin/activate"
            case ["npm", "--prefix", "extension", "run", script]:
                assert f'"{script}":' in (CHECKOUT / "extension" / "package.json").read_text()
            case ["npm", "--prefix", "extension", "ci" | "test"]:
                continue
            case _:
                assert words[0] in OUTSIDE, words


@pytest.mark.slow
def test_every_pytest_command_collects_tests():
    assert {words[3] for words in TESTS} == {"-q"}
    paths = [path for words in TESTS for path in words[4:]]
    collect = [sys.executable, "-m", "pytest", "-q", *paths, "--collect-only"]
    run = subprocess.run(collect, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-2000:]
    assert [path for path in paths if f"\n{path}" not in f"\n{run.stdout}"] == []


@pytest.mark.slow
@pytest.mark.parametrize("words", CHECKS, ids=" ".join)
def test_every_check_passes_as_the_page_promises(words):
    run = subprocess.run([sys.executable, *words[1:]], cwd=CHECKOUT, capture_output=True,
                         text=True, check=False)  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr


def test_there_are_commands_to_run():
    assert len(TESTS) > 4
    assert len(CHECKS) == 2


def test_the_map_is_up_to_date():
    assert layers.MAP.read_text("utf-8") == layers.svg(), "Run python -m tools.layers."


def test_the_map_shows_every_module_of_the_package():
    shown = set(re.findall(r"[\w]+", " ".join(re.findall(r'"names"[^>]*>([^<]*)<', layers.svg()))))
    assert shown == {name if name != "tapelab" else "__init__" for name in LAYER_OF}


def test_the_map_follows_the_theme():
    assert "@media (prefers-color-scheme: dark)" in layers.svg()


def test_a_path_that_does_not_exist_would_be_noticed():
    assert PATH.findall("see `tests/nowhere/` and `x = a/b`") == ["tests/nowhere/"]
    assert commands("```sh\nmake nowhere # a comment\n```\n") == [["make", "nowhere"]]
