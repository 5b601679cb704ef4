"""Every number in the text of a lesson is one that the lesson computes, prints, shows or is given.

The solved lesson runs in a real kernel; what its code says and what came out is what it knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from tests.lessons.conftest import LESSONS, NOTEBOOKS, VERDICT
from tools.docs.executing import executed

NOT_CLAIMED = re.compile(
    r"```.*?```|`[^`]*`"  # code
    r"|\]\([^)]*\)"  # addresses
    r"|^#+ .*$|^About \d+ minutes"  # headings, and how long it takes
    r"|[Ll]essons? \d\d|[Ee]xercises? \d\d\.\d+"  # numbers of lessons
    r"|\(\D*(?:19|20)\d\d\)",  # years of what is referred to
    re.DOTALL | re.MULTILINE,
)
NUMBER = re.compile(
    r"(?<![\w.])(\d{1,3}(?:[ \u202f]\d{3})+|\d+)(\.\d+)?(e[-−]?\d+)?(?:([⁻⁰¹²³⁴-⁹]+)|/(\d+))?(?!\w)"
)
COUNTED = re.compile(r"^ *\d+ (?:│| )|In \[\d+\]", re.MULTILINE)
COMPUTED = re.compile(r"(?<![\w.])\d[\d_ \u202f]*(?:\.\d*)?(?:e[-+−]?\d+)?")
POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
SPACES = str.maketrans("−", "-", " _\u202f")

EXCEPTIONS = {
    "11": {"6": "what the derivative is not: that of x² at 3"},
    "12": {
        "0.001": "an example of a small difference",
        "1000": "an example of a large gradient",
        "1e-10": "read off the plot above it",
        "1e-4": "read off the same plot, and a rule of thumb",
        "1e-7": "a rule of thumb",
    },
}
"""Numbers that no cell computes, each with the reason."""


class Known:
    """The numbers in the code of a notebook, and in what came out."""

    def __init__(self, cells) -> None:
        code = [cell for cell in cells if cell.cell_type == "code"]
        said = [self._said(output) for cell in code for output in cell.outputs]
        self.values = set(self._read("\n".join([*(cell.source for cell in code), *said])))

    @staticmethod
    def _said(output) -> str:
        """What came out in plain text, without points, and without the numbers of lines."""
        data = output.get("data", {})
        points = VERDICT in data or "points" in data.get("text/plain", "")
        text = "" if points else output.get("text") or data.get("text/plain", "")
        return COUNTED.sub(" ", text)

    @staticmethod
    def _read(text: str) -> Iterator[float]:
        for found in COMPUTED.findall(text):
            for each in {found, *found.split()}:
                yield float(each.translate(SPACES))

    def has(self, claim: re.Match[str]) -> bool:
        """Whether a number is there, to as many digits as the claim has."""
        whole, rest, exponent, power, divisor = claim.groups(default="")
        value = float(f"{whole}{rest}{exponent}".translate(SPACES))
        if power or divisor:
            value = value ** int(power.translate(POWERS)) if power else value / float(divisor)
        near = 0.5 * 10.0 ** -len(rest[1:]) if rest and not exponent else 1e-9 * abs(value)
        return any(abs(each - value) <= 1.0001 * near for each in self.values)


def claims(cells) -> Iterator[re.Match[str]]:
    for cell in cells:
        if cell.cell_type == "markdown":
            yield from NUMBER.finditer(NOT_CLAIMED.sub(" ", cell.source))


def unfounded(cells) -> set[str]:
    known = Known(cells)
    return {claim[0] for claim in claims(cells) if not known.has(claim)}


@pytest.mark.slow
@pytest.mark.parametrize("name", LESSONS)
def test_every_number_in_the_text_is_computed_in_the_notebook(name):
    assert unfounded(executed(NOTEBOOKS / "solutions" / f"{name}.ipynb").cells) == set(
        EXCEPTIONS.get(name[:2], {})
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 3.14, that is 3.142 and about 3.1.", set()),
        ("It is 3.15, or 4.", {"3.15", "4"}),
        ("12 000 bytes, 1e-3, 1/8 and 10⁻³ are there; 12 001 is not.", {"12 001"}),
        ("`17`, lesson 17, exercise 17.1 (Somebody, 2017)\n\n## 17\n\nAbout 17 minutes.", set()),
    ],
)
def test_a_number_that_is_not_computed_would_be_noticed(text, expected):
    printed = new_output("stream", text="3.14159 and 0.125")
    code = new_code_cell("12_000 * 1e-3", outputs=[printed])
    assert unfounded([new_markdown_cell(text), code]) == expected
