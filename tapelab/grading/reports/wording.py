"""How a check ended and who sees it, as a sign and in words."""

from __future__ import annotations

from typing import Final

from tapelab.grading.result import Status, Visibility
from tapelab.locales import sentence, translated

SIGNS: Final = {Status.PASSED: "✓", Status.PARTIAL: "◐", Status.UNSOLVED: "○", Status.WAITING: "…"}
WORDS: Final[dict[str, str]] = {
    Status.PASSED: sentence("passed"),
    Status.PARTIAL: sentence("in part"),
    Status.FAILED: sentence("not passed"),
    Status.UNSOLVED: sentence("not begun"),
    Status.WAITING: sentence("waits for a person"),
    Status.RAISED: sentence("stopped with an error"),
    Status.TIMEOUT: sentence("took too long"),
    Status.MEMORY: sentence("needed too much memory"),
    Status.CRASHED: sentence("its process ended"),
    Status.OUTPUT: sentence("sent back too much"),
    Status.REFUSED: sentence("not to be believed"),
    Status.BROKEN: sentence("the check itself failed"),
    Visibility.PUBLIC: sentence("public"),
    Visibility.HIDDEN: sentence("hidden"),
    Visibility.PRIVATE: sentence("private"),
}
"""How a check ended, and who sees it."""


def sign(status: str) -> str:
    """How a check ended, as one sign."""
    return SIGNS.get(Status(status), "×")


def word(told: str) -> str:
    """How a check ended, or who sees it, in words."""
    return translated(WORDS[told])
