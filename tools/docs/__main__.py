"""Build the documentation site: python -m tools.docs [SITE [DOCS]]. A warning is an error."""

import sys
from pathlib import Path

from sphinx.cmd.build import main

from tools.docs.assembling import assembled

DOCS = Path(__file__).parents[2] / "docs"
SITE = DOCS.parent / "build" / "site"
STRICTLY = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet", "--jobs=2"]


def build(site: str = str(SITE), docs: str = str(DOCS)) -> int:
    """Build a site into a folder; the status is 0 where nothing was amiss."""
    pages = assembled(Path(docs), Path(site).with_name(f"{Path(site).name}-pages"))
    status = main([*STRICTLY, "-b", "html", str(pages), site])
    if status == 0:
        print(f"The site is in {site}: open {Path(site) / 'index.html'}.")
    return status


if __name__ == "__main__":
    sys.exit(build(*sys.argv[1:]))
