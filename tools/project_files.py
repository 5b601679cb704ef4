"""Validate the files that GitHub and citation tools read: python -m tools.project_files.

Each file is validated against the schema that its readers publish. The schemas come with
check-jsonschema, so nothing is downloaded.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from check_jsonschema import main as validate
from click.testing import CliRunner

CHECKOUT: Final = Path(__file__).parents[1]
SCHEMAS: Final = {
    ".github/workflows/*.yml": "vendor.github-workflows",
    ".github/ISSUE_TEMPLATE/[0-9]*.yml": "vendor.github-issue-forms",
    ".github/ISSUE_TEMPLATE/config.yml": "vendor.github-issue-config",
    ".github/dependabot.yml": "vendor.dependabot",
    "CITATION.cff": "vendor.citation-file-format",
}
"""The files, and the name that check-jsonschema gives their schema."""


def errors(schema: str, files: list[Path]) -> str:
    """What is wrong with the files, as check-jsonschema reports it; empty if they are valid."""
    report = CliRunner().invoke(validate, ["--builtin-schema", schema, *map(str, files)])
    return report.output if report.exit_code else ""


def main(checkout: Path = CHECKOUT) -> int:
    """Print what is wrong with each group of files; the status is 0 if they are all valid."""
    reports = []
    for pattern, schema in SCHEMAS.items():
        files = sorted(checkout.glob(pattern))
        reports.append(errors(schema, files) if files else f"There is no file {pattern}.\n")
    print("".join(reports), end="")
    return int(any(reports))


if __name__ == "__main__":
    sys.exit(main())
