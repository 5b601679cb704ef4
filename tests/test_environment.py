"""Setting up is done once, redone when it must be, and never trips over what stands there."""

from __future__ import annotations

import sys
import venv
from pathlib import Path

import pytest

from tools import environment


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout of nothing but its metadata, whose installations are only counted."""
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    monkeypatch.setattr(environment, "CHECKOUT", tmp_path)
    installed = []
    monkeypatch.setattr(environment, "install", lambda place, *extras: installed.append(extras[0]))
    monkeypatch.setattr(environment, "compile_ahead", lambda place: installed.append("compiled"))
    return tmp_path, installed


def test_this_very_environment_answers():
    assert environment.answers(Path(sys.prefix))


def test_an_empty_folder_and_an_environment_without_pip_do_not_answer(tmp_path):
    assert not environment.answers(tmp_path)
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    assert not environment.answers(tmp_path / "bare")


@pytest.mark.slow
def test_an_unusable_environment_is_made_again_and_then_used_again(checkout):
    folder, installed = checkout
    venv.create(folder / "env", with_pip=False, symlinks=True)
    environment.main("env", "lab")
    environment.main("env", "lab")
    assert installed == ["lab", "compiled"]
    assert environment.answers(folder / "env")

    (folder / "env" / "kept").write_text("")
    (folder / "pyproject.toml").write_text("[project]\nname = 'changed'\n")
    environment.main("env", "lab")
    assert installed == ["lab", "compiled"] * 2
    assert (folder / "env" / "kept").is_file()


def test_what_is_wanted_differs_by_extras_and_metadata(checkout):
    folder, _ = checkout
    seen = {environment.fingerprint("lab"), environment.fingerprint("lab,dev")}
    (folder / "pyproject.toml").write_text("[project]\nname = 'changed'\n")
    seen.add(environment.fingerprint("lab"))
    assert len(seen) == 3


def test_the_oldest_releases_are_the_lower_bounds_of_the_metadata(checkout):
    folder, _ = checkout
    (folder / "pyproject.toml").write_text(
        "[project]\ndependencies = ['numpy>=2.0', 'any']\n"
        "[project.optional-dependencies]\n"
        "lab = ['jupyterlab>=4.2,<5', 'pyjwt[crypto]>=2.10']\ndev = ['ruff>=1']\n"
    )
    assert environment.lower_bounds("lab") == ["numpy==2.0", "jupyterlab==4.2", "pyjwt==2.10"]


@pytest.mark.slow
def test_the_oldest_releases_are_another_environment_than_the_newest(checkout):
    _, installed = checkout
    environment.main("env", "lab")
    environment.main("env", "lab", "oldest")
    environment.main("env", "lab", "oldest")
    assert installed == ["lab", "compiled", "lab"]


def test_the_extension_of_jupyterlab_is_linked_and_pip_never_writes_through_the_link(checkout):
    folder, _ = checkout
    built = folder / "tapelab" / "labextension"
    place = environment.extension_in(folder / "env")
    for each in (built, place):
        each.mkdir(parents=True)
    (built / "package.json").write_text("new")
    (place / "package.json").write_text("copied when it was installed")
    environment.link_extension(folder / "env")
    assert (place / "package.json").read_text() == "new"
    assert [path.name for path in place.parent.iterdir()] == ["tapelab"]
    environment.unlink_extension(folder / "env")
    assert not place.exists()
    assert (built / "package.json").is_file()


def test_where_links_cannot_be_the_copy_stays(checkout, monkeypatch):
    def refuse(*_, **__):
        raise OSError("no links here")

    folder, _ = checkout
    place = environment.extension_in(folder / "env")
    for each in (folder / "tapelab" / "labextension", place):
        each.mkdir(parents=True)
    (place / "package.json").write_text("copied")
    monkeypatch.setattr(Path, "symlink_to", refuse)
    environment.link_extension(folder / "env")
    assert (place / "package.json").read_text() == "copied"
