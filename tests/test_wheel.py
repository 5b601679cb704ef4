"""The wheel is built without Node, holds what a learner needs and nothing else, and stays small."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tapelab.version import __version__

CHECKOUT = Path(__file__).parents[1]
CODE = (".py", ".ll")
TRANSLATIONS = (".mo", "explorer.json")
# Compressed bytes. What stands here is a tenth above what there is: growth is to be noticed.
PICTURES_AND_LESSONS, OF_CODE, OF_TRANSLATIONS, OF_JUPYTERLAB = 175_000, 1_200_000, 110_000, 105_000
WHOLE = 1_700_000
JUPYTERLAB = ".data/data/share/jupyter/labextensions/tapelab/"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel where no Node, npm or other tool can be found."""
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(place)]
    subprocess.run(
        build, cwd=CHECKOUT, env={"PATH": "", "HOME": str(place)}, check=True, capture_output=True
    )
    (path,) = place.glob("*.whl")
    return path


def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_runs_on_every_machine(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")


@pytest.fixture(scope="module")
def sizes(wheel):
    """How many bytes each file takes in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {file.filename: file.compress_size for file in archive.infolist()}


@pytest.mark.parametrize(("endings", "limit"), [(CODE, OF_CODE), (TRANSLATIONS, OF_TRANSLATIONS)])
def test_code_and_translations_stay_within_their_bounds(sizes, endings, limit):
    assert 0 < sum(size for name, size in sizes.items() if name.endswith(endings)) <= limit


def test_pictures_and_lessons_stay_within_their_bound(sizes):
    elsewhere = (".dist-info/", JUPYTERLAB)
    ours = {name: size for name, size in sizes.items() if not any(map(name.count, elsewhere))}
    others = [size for name, size in ours.items() if not name.endswith((*CODE, *TRANSLATIONS))]
    assert 0 < sum(others) <= PICTURES_AND_LESSONS


def test_the_extension_of_jupyterlab_stays_within_its_bound(sizes):
    assert 0 < sum(size for name, size in sizes.items() if JUPYTERLAB in name) <= OF_JUPYTERLAB


def test_jupyterlab_finds_its_extension_in_the_wheel_once(wheel):
    inside = [name for name in names(wheel) if "labextension" in name]
    assert {name.split(".data/")[0] for name in inside} == {f"tapelab-{__version__}"}
    found = {name.split(JUPYTERLAB)[1] for name in inside}
    assert {"package.json", "install.json", "schemas/tapelab/plugin.json"} <= found


def test_the_whole_wheel_is_no_burden_to_download(wheel):
    assert wheel.stat().st_size <= WHOLE


def test_the_wheel_holds_the_whole_package(wheel):
    package = CHECKOUT / "tapelab"
    sources = {path.relative_to(CHECKOUT).as_posix() for path in package.rglob("*.py")}
    assert sources
    assert sources <= names(wheel)


@pytest.mark.parametrize(
    "needed",
    [
        *("tapelab/py.typed", "tapelab/static/widget.js", "tapelab/static/standalone.js"),
        "tapelab/static/extras.js",
        "tapelab/locales/zh_CN/LC_MESSAGES/tapelab.mo",
        "tapelab/locales/he/LC_MESSAGES/tapelab.mo",
    ],
)
def test_the_wheel_holds_what_is_no_python(wheel, needed):
    assert needed in names(wheel)


def test_the_wheel_holds_the_lessons(wheel):
    folder = CHECKOUT / "notebooks"
    lessons = {path.relative_to(folder).as_posix() for path in folder.glob("[0-9]*.ipynb")}
    assert lessons
    assert {f"tapelab/_notebooks/{name}" for name in lessons} <= names(wheel)


def test_the_wheel_holds_no_solution(wheel):
    assert [name for name in names(wheel) if "solution" in name] == []


def test_the_wheel_holds_no_tests_no_sources_of_the_front_end_and_no_leftovers(wheel):
    tops = {name.split("/")[0] for name in names(wheel)}
    assert {top for top in tops if not top.startswith("tapelab")} == set()
    leftovers = ("__pycache__", ".ipynb_checkpoints", ".map", ".ts", ".part", ".po")
    assert [name for name in names(wheel) if any(part in name for part in leftovers)] == []


def test_an_installed_wheel_imports_and_copies_the_lessons(wheel, tmp_path):
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    code = (
        f"import sys; sys.path.insert(0, {str(site)!r})\n"
        "import tapelab, pathlib\n"
        f"assert tapelab.__file__.startswith({str(site)!r}), tapelab.__file__\n"
        "from tapelab.lessons import copy_lessons\n"
        f"print(len(copy_lessons(pathlib.Path({str(tmp_path / 'mine')!r})).added))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert int(answer.stdout) > 1
