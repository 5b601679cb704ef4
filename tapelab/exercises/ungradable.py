"""Why there is nothing to judge: an answer that is missing, cannot be read or stopped."""

from __future__ import annotations

from typing import ClassVar


class Unreadable(Exception):  # noqa: N818 - no error of ours: a way to say why there are no points
    """There is nothing to judge; the message tells the learner why, `ending` tells programs."""

    ending: ClassVar[str] = "failed"


class Unsolved(Unreadable):
    """The answer, or this part of it, is still the placeholder `...`."""

    ending = "unsolved"


class Raised(Unreadable):
    """The learner's code stopped with an exception."""

    ending = "raised"
