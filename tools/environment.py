"""Bring a virtual environment up to date with this checkout: python environment.py DIR EXTRAS.

A third word, `oldest`, asks for the oldest releases that pyproject.toml allows. The work is done
once: a stamp in the environment remembers what was installed from, so that the next run costs
milliseconds.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import time
import tomllib
import venv
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
OLDEST = "oldest"
LOWER_BOUND = re.compile(r"([\w.-]+)(?:\[[\w,]+\])?\s*>=\s*([\w.]+)")


def main(directory: str, extras: str, versions: str = "") -> None:
    """Create or refresh the environment, showing what is being done."""
    environment = CHECKOUT / directory
    stamp = environment / "tapelab.stamp"
    wanted = fingerprint(f"{extras} {versions}".strip())
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    require_venv()
    started = time.monotonic()
    if not answers(environment):
        print(f"Creating the environment {directory} ...", flush=True)
        venv.create(environment, clear=True, symlinks=sys.platform != "win32", with_pip=True)
    print("Installing tapelab and what it needs; the first time takes about a minute:", flush=True)
    unlink_extension(environment)
    install(environment, extras, versions)
    link_extension(environment)
    if "lab" in extras.split(",") and "dev" not in extras.split(",") and not versions:
        compile_ahead(environment)
    stamp.write_text(wanted)
    print(f"The environment is ready, after {time.monotonic() - started:.0f} s.", flush=True)


def fingerprint(extras: str) -> str:
    """Tell one set-up from another: by the checkout, its metadata, the extras and the Python."""
    parts = (str(CHECKOUT), extras, sys.version, sys.prefix)
    metadata = (CHECKOUT / "pyproject.toml").read_bytes()
    return hashlib.sha256("\0".join(parts).encode() + metadata).hexdigest()


def require_venv() -> None:
    """Debian ships Python without the part that puts pip into an environment; say so."""
    try:
        import ensurepip  # noqa: F401 - only whether it is there
    except ImportError:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        sys.exit(
            f"{sys.executable} cannot create virtual environments: its ensurepip module is "
            f"missing. On Debian or Ubuntu, try: apt install python{version}-venv"
        )


def python_of(environment: Path) -> str:
    """Name the interpreter of an environment."""
    return str(environment / ("Scripts" if sys.platform == "win32" else "bin") / "python")


def answers(environment: Path) -> bool:
    """Tell whether an earlier environment can be kept: same Python as ours, and a working pip."""
    question = [python_of(environment), "-c", "import pip, sys; print(sys.version)"]
    try:
        answer = subprocess.run(question, capture_output=True, text=True, check=False)
    except OSError:
        return False
    return answer.stdout.strip() == sys.version


def install(environment: Path, extras: str, versions: str = "") -> None:
    """Install this checkout in editable mode, one line of progress per package."""
    command = [python_of(environment), "-m", "pip", "install", "--disable-pip-version-check"]
    command += ["--progress-bar=off"]
    if not sys.dont_write_bytecode:  # Python compiles what it uses; all takes a third more
        command += ["--no-compile"]
    command += ["--editable", f"{CHECKOUT}[{extras}]"]
    if versions == OLDEST:
        bounds = environment / "oldest.txt"
        bounds.write_text("\n".join(lower_bounds(extras)))
        command += ["--constraint", str(bounds)]
    log = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        for line in pip.stdout or ():
            log.append(line)
            show_progress(line)
    print(flush=True)
    if pip.returncode:
        sys.exit(
            "".join(log[-15:]) + "\nThe installation failed; pip's last words stand above. "
            "Is this machine online, and is the disk not full? Running make again goes on."
        )


def lower_bounds(extras: str) -> list[str]:
    """Each package that the project and its extras ask for, at the oldest release they allow."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = list(project["dependencies"])
    for name in extras.split(","):
        requirements += project["optional-dependencies"][name]
    found = map(LOWER_BOUND.match, requirements)
    return [f"{bound[1]}=={bound[2]}" for bound in found if bound]


def extension_in(environment: Path) -> Path:
    """Where JupyterLab looks for the extension of an environment."""
    return environment / "share" / "jupyter" / "labextensions" / "tapelab"


def unlink_extension(environment: Path) -> None:
    """Take the link to the checkout away before pip writes to where it leads."""
    if extension_in(environment).is_symlink():
        extension_in(environment).unlink()


def link_extension(environment: Path) -> None:
    """Let JupyterLab load the extension from the checkout; where links cannot be, a copy stays."""
    built, place = CHECKOUT / "tapelab" / "labextension", extension_in(environment)
    copy = place.with_name("tapelab.copy")
    if not built.is_dir() or not place.is_dir():
        return
    place.rename(copy)
    try:
        place.symlink_to(built, target_is_directory=True)
    except OSError:
        copy.rename(place)
    else:
        shutil.rmtree(copy)


def compile_ahead(environment: Path) -> None:
    """Compile what lessons compute with; where that fails they only start more slowly.

    Matplotlib looks for fonts when it is first imported, which takes seconds: not during a class.
    """
    python = python_of(environment)
    subprocess.run([python, "-m", "tapelab.cli", "warmup"], check=False)
    subprocess.run([python, "-c", "import matplotlib.font_manager"], check=False)


def show_progress(line: str) -> None:
    """Condense pip's many lines: the packages as they come, then the one long silent step."""
    if line.startswith("Collecting "):
        name = re.match(r"[\w.-]+", line.split()[1])
        print(name[0] if name else ".", end=" ", flush=True)
    elif line.startswith("Installing collected packages"):
        print("\nUnpacking them ...", end="", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
