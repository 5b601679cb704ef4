"""The files for GitHub, pre-commit and citations are valid, and run what `make` runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tapelab.version import __version__
from tools import project_files, run_tests

CHECKOUT = Path(__file__).parents[1]
WORKFLOWS = sorted((CHECKOUT / ".github" / "workflows").glob("*.yml"))
HOOKS = yaml.safe_load((CHECKOUT / ".pre-commit-config.yaml").read_text("utf-8"))
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
SETUP = [
    *(CHECKOUT / ".github").rglob("*.*"),
    *(CHECKOUT / name for name in ("Makefile", "pyproject.toml", ".pre-commit-config.yaml")),
    *(CHECKOUT / "tools").glob("*.py"),
]
REGISTRY = re.compile(r"pypi\.org|files\.pythonhosted|registry\.npmjs|--index-url|find-links")


def steps(workflow: Path) -> list[dict]:
    """Every step of every job of a workflow."""
    jobs = yaml.safe_load(workflow.read_text("utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


def test_all_files_are_valid_for_their_readers():
    assert project_files.main() == 0


@pytest.mark.parametrize(
    ("schema", "content"),
    [
        ("vendor.github-workflows", "name: x\njobs: {a: {steps: []}}\n"),
        ("vendor.github-issue-forms", "name: x\nbody: []\n"),
        ("vendor.citation-file-format", "cff-version: 1.2.0\ntitle: x\n"),
    ],
)
def test_an_invalid_file_would_be_noticed(schema, content, tmp_path):
    (tmp_path / "file.yml").write_text(content)
    assert "file.yml" in project_files.errors(schema, [tmp_path / "file.yml"])


def test_a_missing_file_would_be_noticed(tmp_path, capsys):
    assert project_files.main(tmp_path) == 1
    assert "There is no file CITATION.cff." in capsys.readouterr().out


def test_workflows_run_make_targets_and_nothing_else():
    assert {path.stem for path in WORKFLOWS} == {"tests", "thorough", "docs", "release"}
    runs = [step["run"] for path in WORKFLOWS for step in steps(path) if "run" in step]
    targets = [run.split()[1] for run in runs if run.startswith("make ")]
    targets = [target.replace("${{", "torch") for target in targets]
    assert len(targets) == len(runs)
    assert set(targets) == {"check", "test", "conformance", "docs", "dist", "torch"}
    for target in set(targets):
        subprocess.run(["make", "-n", target], cwd=CHECKOUT, check=True, capture_output=True)


def test_the_fast_tests_run_on_every_supported_python():
    tests = yaml.safe_load((CHECKOUT / ".github" / "workflows" / "tests.yml").read_text("utf-8"))
    versions = tests["jobs"]["check"]["strategy"]["matrix"]["python"]
    classifiers = [line.rpartition(" :: ")[2] for line in PROJECT["classifiers"]]
    assert versions == [version for version in classifiers if version.startswith("3.")]


def test_a_release_is_tested_before_it_is_published():
    release = yaml.safe_load((CHECKOUT / ".github/workflows/release.yml").read_text("utf-8"))
    jobs = release["jobs"]
    assert jobs["publish"]["needs"] == "build"
    assert jobs["build"]["needs"] == "test"
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert release["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("path", SETUP, ids=lambda path: path.name)
def test_set_up_files_hold_no_address_of_a_registry(path):
    assert REGISTRY.findall(path.read_text("utf-8")) == []


def test_every_file_names_the_same_version():
    citation = yaml.safe_load((CHECKOUT / "CITATION.cff").read_text("utf-8"))
    package = yaml.safe_load((CHECKOUT / "extension" / "package.json").read_text("utf-8"))
    assert citation["version"] == package["version"] == __version__
    assert f"## [{__version__}]" in (CHECKOUT / "CHANGELOG.md").read_text("utf-8")


def test_the_hooks_run_the_linters_of_the_tests():
    entries = [hook["entry"] for repo in HOOKS["repos"] for hook in repo["hooks"]]
    assert {repo["repo"] for repo in HOOKS["repos"]} == {"local"}
    for command in run_tests.LINTERS.values():
        assert any(entry.startswith(" ".join(command)) for entry in entries)


GOOD = '"""A module."""\n\nANSWER: int = 42\n'
FAULTS = {
    "ruff-check": GOOD + "import os\n",
    "ruff-format": GOOD.replace("42", "  42"),
    "mypy": GOOD.replace("42", '"42"'),
}


@pytest.fixture
def repository(tmp_path):
    """A small repository with this project's settings, in which pre-commit runs for real."""
    for name in (".pre-commit-config.yaml", "pyproject.toml"):
        shutil.copy(CHECKOUT / name, tmp_path)
    for folder in ("tapelab", "tools"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text('"""A package."""\n')
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = kept | {"PATH": programs, "PRE_COMMIT_HOME": str(tmp_path / ".git" / "hooks-home")}

    def run(*command):
        return subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True,
                              check=False)  # fmt: skip

    assert run("git", "init", "--quiet").returncode == 0

    def commit_hook(hook, source):
        (tmp_path / "tapelab" / "module.py").write_text(source)
        run("git", "add", "--all")
        return run(sys.executable, "-m", "pre_commit", "run", hook)

    return commit_hook


@pytest.mark.slow
@pytest.mark.parametrize("hook", FAULTS)
def test_a_hook_stops_a_fault_and_lets_good_code_pass(repository, hook):
    faulty, good = repository(hook, FAULTS[hook]), repository(hook, GOOD)
    assert faulty.returncode == 1, faulty.stdout + faulty.stderr
    assert good.returncode == 0, good.stdout + good.stderr
    assert "Passed" in good.stdout
