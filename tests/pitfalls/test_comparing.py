"""Broken and mended side by side: the comparison never fails, and never says that all is alike."""

from __future__ import annotations

import pytest

from tapelab.core.tape import GradientTape
from tapelab.views import tape_comparison
from tests.pitfalls.catalogue import PITFALLS
from tests.pitfalls.snippets import repaired, run

FIXED = [each for each in PITFALLS if each.fix][::5]
"""Every fifth, which meets each family of pitfalls."""
BESIDE_THE_TAPE = {"UNTRACKED_VARIABLE", "SPARSE_GRADIENT", "COMPLEX_CONVENTION"}
"""Mended in what is done with the gradient, of which the tape sees nothing.

So are those whose gradient is right already: their symptom is `silent`.
"""


@pytest.mark.parametrize("pitfall", FIXED, ids=str)
def test_before_and_after_a_fix_differ_in_something_that_is_reported(pitfall):
    tapes = [
        run(code).get("tape") for code in (pitfall.snippet, repaired(pitfall.snippet, pitfall.ask))
    ]
    if all(isinstance(tape, GradientTape) for tape in tapes):
        found = tape_comparison.compared(*(tape.recording() for tape in tapes))
        alike = found.headline == "Both tapes are alike."
        assert not alike or pitfall.code in BESIDE_THE_TAPE or pitfall.symptom == "silent"
        assert "<section" in tape_comparison.html(found)
        assert tape_comparison.text(found).startswith(found.headline)
