"""Write the table and the examples of docs/reference/pitfalls.md from the declarations of findings.

python -m tools.findings          write them into the page
python -m tools.findings --check  only say whether the page is out of date
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis.declarations import Rank, complete
from tapelab.diagnosis.families import declarations

if TYPE_CHECKING:
    from tapelab.diagnosis.declarations import Declaration, Example

CHECKOUT: Final = Path(__file__).parents[1]
PAGE: Final = CHECKOUT / "docs" / "reference" / "pitfalls.md"
BLOCK: Final = re.compile(r"```python\n(.*?)```", re.DOTALL)
GENERATED: Final = re.compile(r"(?s)(?<=<!-- findings -->\n).*(?=<!-- /findings -->)")

RANKS: Final = {
    Rank.REFUSED: "There is no result",
    Rank.MISSING: "The gradient is `None` or incomplete",
    Rank.NOT_FINITE: "The gradient is infinite or NaN",
    Rank.VANISHED: "The gradient is 0 or almost 0",
    Rank.MISLEADING: "The gradient answers another question",
    Rank.WASTEFUL: "The gradient is right, and costs too much",
}


def main(arguments: list[str]) -> str | None:
    """Write the page, or with --check complain if it is out of date."""
    old = PAGE.read_text(encoding="utf-8")
    new = GENERATED.sub(lambda _: generated(), old)
    if "--check" in arguments:
        return f"Out of date: {PAGE.name}. Run python -m tools.findings." if new != old else None
    PAGE.write_text(new, encoding="utf-8")
    return None


def generated() -> str:
    """The findings by rank: a table for each rank, and below it an example of each finding."""
    ranks = groupby(declarations(), key=lambda each: each.rank)
    return _formatted("\n".join(_of_rank(rank, list(group)) for rank, group in ranks))


def _of_rank(rank: Rank, declared: list[Declaration]) -> str:
    rows = [
        f"| [`{each.code}`](#{each.code.lower()}) | {each.what} | {each.instead} | {each.lesson} |"
        for each in declared
    ]
    head = "| code | what happened | what to write instead | lesson |"
    examples = (_section(each.code, each.example) for each in declared if each.example)
    return "\n".join([f"\n## {RANKS[rank]}\n", head, "|---|---|---|---|", *rows, "", *examples])


def _section(code: str, example: Example) -> str:
    """The example of a finding: the program, the fix, and the near miss."""
    parts = [f"### `{code}`", "", _fenced(complete(example.program))]
    if example.fix:
        parts += ["Write instead:", "", _fenced(example.fix)]
    parts += ["No finding:", "", _fenced(complete(example.near_miss))]
    return "\n".join(parts)


def _fenced(code: str) -> str:
    plain = textwrap.dedent(code).strip("\n").rstrip().translate(str.maketrans("", "", "«»"))
    return f"```python\n{plain}\n```\n"


def _formatted(page: str) -> str:
    """The page with its blocks of code as `ruff format` writes them."""
    with TemporaryDirectory() as folder:
        blocks = [match[1] for match in BLOCK.finditer(page)]
        files = [Path(folder, f"block{number}.py") for number in range(len(blocks))]
        for file, block in zip(files, blocks, strict=True):
            file.write_text(block, encoding="utf-8")
        config = str(CHECKOUT / "pyproject.toml")
        ruff = [sys.executable, "-m", "ruff", "format", "--quiet", "--config", config, folder]
        subprocess.run(ruff, check=False, stderr=subprocess.DEVNULL)  # a fix may be a mere header
        texts = iter([file.read_text(encoding="utf-8") for file in files])
    return BLOCK.sub(lambda _: f"```python\n{next(texts)}```", page)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
