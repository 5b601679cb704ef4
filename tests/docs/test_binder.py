"""Binder, the container and conda get what they need, and a visitor finds the lessons."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml

from tapelab.lab.launcher import jupyterlab_command
from tapelab.lab.lesson_folder import lessons
from tapelab.version import __version__
from tests.ui.jupyter import announced, running

CHECKOUT = Path(__file__).parents[2]
BINDER = CHECKOUT / "binder"
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
CALLED_BY_CONDA = {
    "graphviz": "python-graphviz",
    "matplotlib": "matplotlib-base",
    "ml-dtypes": "ml_dtypes",
}
PYTHON = "${{ python_min }}"


def of_conda(requirements):
    """What pip asks for, as conda writes it."""
    parts = [re.fullmatch(r"([\w-]+)(?:\[\w+\])?(.*)", each).groups() for each in requirements]
    return {f"{CALLED_BY_CONDA.get(name, name)} {version}" for name, version in parts}


@pytest.fixture(scope="module")
def recipe():
    return yaml.safe_load((BINDER / "conda" / "recipe.yaml").read_text("utf-8"))


def test_conda_installs_what_pip_installs(recipe):
    outputs = {each["package"]["name"]: each["requirements"]["run"] for each in recipe["outputs"]}
    library = of_conda(PROJECT["dependencies"]) | {f"python >={PYTHON}"}
    assert set(outputs.pop("tapelab")) == library
    own = '${{ pin_subpackage("tapelab", exact=True) }}'
    assert outputs.keys() == {"tapelab-lab", "tapelab-grading", "tapelab-cluster"}
    for name, run in outputs.items():
        extra = PROJECT["optional-dependencies"][name.removeprefix("tapelab-")]
        assert set(run) == of_conda(extra) | {own}


def test_conda_builds_with_what_the_project_asks_for(recipe):
    build = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["build-system"]
    host = set(recipe["outputs"][0]["requirements"]["host"])
    assert host == of_conda(build["requires"]) | {"pip", f"python {PYTHON}.*"}


def test_the_recipe_has_the_versions_and_the_command_of_the_project(recipe):
    assert recipe["context"]["version"] == __version__
    assert PROJECT["requires-python"] == f">={recipe['context']['python_min']}"
    (entry,) = recipe["outputs"][0]["build"]["python"]["entry_points"]
    assert entry == f"tapelab = {PROJECT['scripts']['tapelab']}"
    about = recipe["about"]
    assert (about["summary"], about["license"]) == (PROJECT["description"], PROJECT["license"])


def instructions():
    """The lines of the container file, as pairs of an instruction and what it is given."""
    text = (BINDER / "Containerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [tuple(line.split(maxsplit=1)) for line in lines]


def test_the_container_runs_as_no_special_user_and_opens_the_port_of_its_command():
    instruction = dict(instructions())
    assert instruction["USER"] != "root"
    command = json.loads(instruction["CMD"])
    assert command[command.index("--port") + 1] == instruction["EXPOSE"]
    assert re.fullmatch(r"[\w./]+/python:3\.\d+-slim", instruction["FROM"])


def test_what_the_container_runs_is_understood_by_the_command():
    steps = [part for name, text in instructions() if name == "RUN" for part in text.split("&&")]
    ours = [shlex.split(step) for step in steps if step.strip().startswith("tapelab ")]
    ours.append(json.loads(dict(instructions())["CMD"]))
    assert len(ours) == 2
    for _, name, *options in ours:
        help_text = subprocess.run(
            [sys.executable, "-m", "tapelab.cli", name, "--help"],
            env=os.environ | {"COLUMNS": "200"}, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert [each for each in options if each.startswith("-") and each not in help_text] == []


def test_the_container_is_given_all_that_the_package_is_built_from():
    lines = (BINDER / "Containerfile.dockerignore").read_text("utf-8").splitlines()
    given = {line.removeprefix("!/") for line in lines if line.startswith("!/")}
    assert [name for name in given if not (CHECKOUT / name).exists()] == []
    build = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]
    wheel = build["build"]["targets"]["wheel"]
    needed = {*wheel["only-include"], *wheel.get("shared-data", ()), PROJECT["readme"]}
    left_out = [name for name in needed if not any(name.startswith(each) for each in given)]
    assert left_out == []


@dataclass(frozen=True)
class Place:
    """A fresh clone, a home of its own, and an environment in which the clone is installed."""

    checkout: Path
    home: Path
    environment: Path

    def run(self, *command: str) -> None:
        """Run a step in the clone; it must succeed."""
        programs = f"{self.environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
        kept = {key: value for key, value in os.environ.items() if not key.startswith("JUPYTER")}
        made = subprocess.run(
            command, cwd=self.checkout, env=kept | {"HOME": str(self.home), "PATH": programs},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert made.returncode == 0, made.stdout + made.stderr


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """What Binder's requirements and the container file's first step come to."""
    folder = tmp_path_factory.mktemp("clone")
    made = Place(folder / "checkout", folder / "home", folder / "venv")
    made.home.mkdir()
    venv.create(made.environment, with_pip=True)
    subprocess.run(["git", "clone", "--quiet", CHECKOUT, made.checkout], check=True)
    made.run("python", "-m", "pip", "install", "--quiet", "-r", "binder/requirements.txt")
    return made


@pytest.mark.slow
@pytest.mark.thorough
def test_a_visitor_of_binder_finds_the_lessons(place):
    place.run("binder/postBuild")
    _, *options = jupyterlab_command(place.checkout, "", port=0, browser=False)
    command = [str(place.environment / "bin" / "python"), *options]
    with running(command, place.home) as (process, runtime):
        server = announced(process, runtime, place.checkout)
        with urlopen(server.address("api/contents/lessons")) as answer:
            found = {entry["name"] for entry in json.load(answer)["content"]}
    assert {lesson.name for lesson in lessons(place.checkout / "notebooks")} <= found
