"""Build the documentation site: python -m tools.docs [FOLDER]. A warning is an error."""

import sys
from pathlib import Path

from sphinx.cmd.build import main

DOCS = Path(__file__).parents[2] / "docs"
SITE = DOCS.parent / "build" / "site"


def build(site: Path, *options: str) -> int:
    """Build the site into a folder; the status is 0 where nothing was amiss."""
    strictly = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet", "--jobs=2"]
    return main([*strictly, *options, "-b", "html", str(DOCS), str(site)])


if __name__ == "__main__":
    place = Path(sys.argv[1]) if sys.argv[1:] else SITE
    status = build(place)
    if status == 0:
        print(f"The site is in {place}: open {place / 'index.html'}.")
    sys.exit(status)
