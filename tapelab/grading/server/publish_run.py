"""Scores of an assignment on their way to a learning platform."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tapelab.grading.formats.lti_grades import GradeService, Score, publish_scores
from tapelab.grading.gradebook.entities import Listed
from tapelab.grading.server.background_run import BackgroundRun


class PublishRun(BackgroundRun):
    """Scores that are sent one after the other, and what the platform said to each."""

    def __init__(
        self, listed: Listed, scores: Sequence[Score], service: GradeService, lineitems: str,
        form: Mapping[str, str],
    ) -> None:  # fmt: skip
        super().__init__("publish")
        self.assignment, self.total, self.form = listed.name, len(scores), form
        self.outcomes: list[tuple[Score, str]] = []
        self._scores, self._listed, self._lineitems = scores, listed, lineitems
        # Whoever stops it does not wait for a platform that asks for patience.
        self._service = replace(service, sleep=self._stop.wait)

    def steps(self) -> Iterator[None]:
        """Send; each score is a step."""
        column = self.form.get("column", "")
        outcomes = publish_scores(
            self._listed, self._scores, self._service, self._lineitems, column
        )
        for outcome in outcomes:
            self.outcomes.append(outcome)
            yield
            if self._stop.is_set():
                return

    @property
    def arrived(self) -> int:
        """How many scores the platform took."""
        return sum(not why for _, why in self.outcomes)
