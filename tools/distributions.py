"""Build the wheel and the source distribution and check them: python -m tools.distributions DIR.

A second argument is the tag of a release, such as v0.2.0; it must name the version.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tapelab.version import __version__

CHECKOUT: Final = Path(__file__).parents[1]


def main(directory: str, tag: str = "") -> int:
    """Build both distributions into an emptied folder; the status is 0 if twine accepts them."""
    if tag and tag != f"v{__version__}":
        print(f"The tag is {tag}, but tapelab/version.py says {__version__}.")
        return 1
    place = CHECKOUT / directory
    shutil.rmtree(place, ignore_errors=True)
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(place)]
    subprocess.run(build, cwd=CHECKOUT, check=True)
    return check(sorted(place.iterdir()))


def check(files: list[Path]) -> int:
    """Check the metadata and the rendered README of distributions; a warning is an error."""
    twine = [sys.executable, "-m", "twine", "--no-color", "check", "--strict", *map(str, files)]
    return subprocess.run(twine, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
