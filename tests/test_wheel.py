"""The distributions are built without Node, hold what a learner needs only, and stay small."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tapelab.cli import doctor_command
from tapelab.version import __version__
from tools import distributions
from tools.words import LANGUAGES

CHECKOUT = Path(__file__).parents[1]
JUPYTERLAB = ".data/data/share/jupyter/labextensions/tapelab/"
# What a file belongs to, by a part of its name: the first that fits.
ROOMS = {
    "about the wheel": (".dist-info/",),
    "jupyterlab": (JUPYTERLAB,),
    "lessons": ("tapelab/_notebooks/",),
    "teaching": ("tapelab/grading/", "tapelab/authoring/", "tapelab/exercises/"),
    "translations": (".mo", "explorer.json"),
    "engine and tools": (".py", ".ll"),
    "pictures": ("",),
}
# Compressed bytes. What stands here is a tenth above what there is: growth is to be noticed.
# Each language says what tapelab says, the Explorer, and the exercises of seven lessons.
BOUNDS = {
    "engine and tools": 1_500_000,
    "teaching": 330_000,
    "pictures": 230_000,
    "translations": 174_000,
    "jupyterlab": 154_000,
}
OF_A_LESSON = 4_000
WHOLE = 2_680_000

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


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Build the source distribution."""
    place = tmp_path_factory.mktemp("source")
    build = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(place)]
    subprocess.run(build, cwd=CHECKOUT, check=True, capture_output=True)
    (path,) = place.glob("*.tar.gz")
    return path


def test_twine_accepts_both_distributions(wheel, source):
    assert distributions.check([wheel, source]) == 0


def test_twine_would_refuse_a_distribution_without_metadata(tmp_path):
    with zipfile.ZipFile(tmp_path / "tapelab-1-py3-none-any.whl", "w") as archive:
        archive.writestr("tapelab/__init__.py", "")
    assert distributions.check([tmp_path / "tapelab-1-py3-none-any.whl"]) != 0


def test_the_wheel_can_be_built_from_the_source_distribution(source, wheel, tmp_path):
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path)]
    subprocess.run(build, cwd=unpacked, check=True, capture_output=True)
    (rebuilt,) = tmp_path.glob("*.whl")
    assert names(rebuilt) == names(wheel)


def test_a_tag_that_names_another_version_is_refused(capsys):
    assert distributions.main("dist", "v0.0.0") == 1
    assert f"tapelab/version.py says {__version__}" in capsys.readouterr().out


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


def belongs(name):
    """The room of a file."""
    return next(room for room, parts in ROOMS.items() if any(part in name for part in parts))


@pytest.mark.parametrize("room", BOUNDS)
def test_every_room_stays_within_its_bound(sizes, room):
    assert 0 < sum(size for name, size in sizes.items() if belongs(name) == room) <= BOUNDS[room]


def test_lessons_stay_small(sizes):
    lessons = [size for name, size in sizes.items() if belongs(name) == "lessons"]
    assert 0 < sum(lessons) <= OF_A_LESSON * len(lessons)


def test_jupyterlab_finds_its_extension_in_the_wheel_once(wheel):
    inside = [name for name in names(wheel) if "labextension" in name]
    assert {name.split(".data/")[0] for name in inside} == {f"tapelab-{__version__}"}
    files = {name.split(JUPYTERLAB)[1] for name in inside}
    assert {"package.json", "install.json", "schemas/tapelab/plugin.json"} <= files


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
        "tapelab/py.typed",
        *(f"tapelab/static/{name}" for name in doctor_command.BUNDLES),
        "tapelab/locales/zh_CN/LC_MESSAGES/tapelab.mo",
        "tapelab/locales/he/LC_MESSAGES/tapelab.mo",
        "tapelab/locales/zh_CN/LC_MESSAGES/lessons.mo",
        "tapelab/locales/he/LC_MESSAGES/lessons.mo",
    ],
)
def test_the_wheel_holds_what_is_no_python(wheel, needed):
    assert needed in names(wheel)


def test_the_wheel_holds_the_lessons(wheel):
    folder = CHECKOUT / "notebooks"
    notebooks = (
        path for place in (".", *LANGUAGES) for path in folder.glob(f"{place}/[0-9]*.ipynb")
    )
    lessons = {path.relative_to(folder).as_posix() for path in notebooks}
    assert {path.partition("/")[0] for path in lessons if "/" in path} == set(LANGUAGES)
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
        "from tapelab.lab.lesson_folder import copy_lessons\n"
        f"print(len(copy_lessons(pathlib.Path({str(tmp_path / 'mine')!r})).added))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert int(answer.stdout) > 1


@pytest.fixture(scope="module")
def command(wheel, tmp_path_factory):
    """Install the wheel with pip, apart from this checkout, and run the program it comes with."""
    place = tmp_path_factory.mktemp("installed")
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet"]
    install += ["--ignore-installed", "--no-compile", "--prefix", str(place), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    (site,) = place.glob("lib*/python*/site-packages")
    kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    settings = kept | {"PYTHONPATH": str(site), "HOME": str(place), "COLUMNS": "200"}

    def run(*arguments, code=0):
        completed = subprocess.run(
            [place / "bin" / "tapelab", *map(str, arguments)],
            cwd=place, env=settings, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert completed.returncode == code, completed.stdout + completed.stderr
        return completed.stdout

    run.place, run.site = place, site
    return run


def test_the_command_of_an_installed_wheel_finds_its_own_files(command):
    checks = {each["title"]: each for each in json.loads(command("doctor", "--json"))["checks"]}
    assert checks["pictures"]["found"] == str(command.site / "tapelab" / "static")
    assert checks["lessons"]["found"].endswith(f"in {command.site / 'tapelab' / '_notebooks'}")
    assert command("--version").startswith("tapelab ")
    assert "The first tape" in command("lessons")
    assert "Added to" in command("lessons", "--copy", "mine")


def test_the_command_of_an_installed_wheel_explains_shows_and_exports(command):
    script = command.place / "script.py"
    script.write_text(
        "import tapelab as tf\n"
        "x = tf.Variable(3.0, name='x')\n"
        "with tf.GradientTape() as tape:\n"
        "    z = x * float(x)\n"
        "tf.show(tape, z).save('z')\n"
        "print(tape.gradient(z, x))\n"
    )
    assert "float" in command("explain", script, code=1)
    assert "backward pass" in command("show", "z.tape", "--text")
    command("export", "z.tape", "-o", "z.html", "-o", "z.svg", "-o", "z.png")
    page = (command.place / "z.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert len(page) > 50_000


def test_the_extension_of_an_installed_wheel_is_where_jupyterlab_looks(command):
    assert (command.place / "share/jupyter/labextensions/tapelab/package.json").is_file()
