"""The committed bundles are what the TypeScript sources build, and those pass their own checks."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tapelab.cli import doctor_command
from tools import node

CHECKOUT = Path(__file__).parents[2]
STATIC = CHECKOUT / "tapelab" / "static"
BUNDLES = doctor_command.BUNDLES

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _packages():
    node.ensure()
    node.ensure_packages()


def npm(*arguments, cwd=node.EXTENSION):
    """Run npm and show what it said when it was not content."""
    completed = subprocess.run(
        [shutil.which("npm"), *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    said = completed.stdout + completed.stderr
    assert completed.returncode == 0, said
    return said


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory):
    """Build the front-end from its sources in a place of its own."""
    place = tmp_path_factory.mktemp("rebuilt")
    sources = place / "extension"
    leave_out = shutil.ignore_patterns("node_modules", ".test-build")
    shutil.copytree(node.EXTENSION, sources, ignore=leave_out)
    (sources / "node_modules").symlink_to(node.EXTENSION / "node_modules")
    (place / "tapelab" / "static").mkdir(parents=True)
    shutil.copytree(CHECKOUT / "tapelab" / "locales", place / "tapelab" / "locales")
    npm("run", "build", cwd=sources)
    return place / "tapelab" / "static"


def test_the_types_are_sound():
    npm("run", "check")


def test_the_typescript_tests_pass():
    said = npm("test")
    assert "# fail 0" in said or "ℹ fail 0" in said


@pytest.mark.parametrize("name", BUNDLES)
def test_a_rebuilt_bundle_is_the_committed_one_byte_for_byte(rebuilt, name):
    assert (rebuilt / name).read_bytes() == (STATIC / name).read_bytes(), (
        f"tapelab/static/{name} is not what extension/src builds. Try: npm run build in extension/"
    )


@pytest.mark.parametrize("name", BUNDLES)
def test_a_bundle_names_no_path_of_the_machine_that_built_it(rebuilt, name):
    text = (rebuilt / name).read_text(encoding="utf-8")
    assert str(CHECKOUT) not in text
    assert str(rebuilt.parent) not in text


def files_in(folder):
    """The bytes of every file of a folder, by its name."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_rebuilt_extension_of_jupyterlab_is_the_committed_one_byte_for_byte(rebuilt):
    built, kept = (files_in(place / "labextension") for place in (rebuilt.parent, STATIC.parent))
    assert "package.json" in kept
    assert sorted(built) == sorted(kept), "Try: npm run build in extension/"
    assert [name for name in kept if built[name] != kept[name]] == []


def test_the_extension_of_jupyterlab_names_no_path_of_the_machine_that_built_it(rebuilt):
    machine = [str(CHECKOUT).encode(), str(rebuilt.parent.parent).encode()]
    files = files_in(rebuilt.parent / "labextension")
    assert [name for name, data in files.items() if any(path in data for path in machine)] == []
