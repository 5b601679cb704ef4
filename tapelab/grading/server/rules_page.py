"""The page of an assignment's rules: what they would do is shown before they are applied."""

from __future__ import annotations

import math
from datetime import datetime
from http import HTTPStatus
from typing import Final

from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.entities import NEVER, Counts, Listed, Policy
from tapelab.grading.gradebook.gradebook_errors import UnfitError
from tapelab.grading.gradebook.rule_effect import RuleEffect
from tapelab.grading.server.handler import Handler, link
from tapelab.locales import say

FIELDS: Final = ("due", "per_day", "grace", "cutoff", "counts")


class Rules(Handler):
    """The form of the rules, and what those in the address would do."""

    async def get(self) -> None:
        """Show the rules that hold; with some in the address, their effect on each grade."""
        typed = {name: self.query(name).strip() for name in FIELDS}
        listed, effect = await self.from_book(lambda book: self._effect(book, typed))
        shown = typed if effect else _as_typed(listed)
        self.show("rules.html", listed=listed, shown=shown, effect=effect)

    def _effect(self, book: Gradebook, typed: dict[str, str]) -> tuple[Listed, RuleEffect | None]:
        listed = book.assignment(self.query("name"))
        if not typed["counts"]:
            return listed, None
        due, policy = typed_due(typed["due"]), typed_policy(typed)
        return listed, book.rule_effect(listed.name, due=due, policy=policy)

    async def post(self) -> None:
        """Apply the rules of the form."""
        name = self.get_body_argument("name", "")
        typed = {each: self.get_body_argument(each, "").strip() for each in FIELDS}
        due, policy = typed_due(typed["due"]), typed_policy(typed)
        await self.from_book(lambda book: book.set_rules(name, due=due, policy=policy))
        self.redirect(link("assignment", name=name, done="ruled"), status=HTTPStatus.SEE_OTHER)


def _as_typed(listed: Listed) -> dict[str, str]:
    """The rules that hold, as the fields of the form have them."""
    policy, due = listed.policy, listed.due
    return {
        "due": due.astimezone().strftime("%Y-%m-%dT%H:%M") if due else "",
        "per_day": f"{policy.per_day:g}",
        "grace": f"{policy.grace:g}",
        "cutoff": "" if policy.cutoff is None else f"{policy.cutoff:g}",
        "counts": policy.counts.value,
    }


def typed_due(text: str) -> datetime:
    """The time that a person typed, in the time zone of this computer; NEVER for no text."""
    if not text:
        return NEVER
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise UnfitError(
            say("`{text}` is no date with a time; nothing was changed. Try 2026-03-01T12:00.",
                text=text)
        ) from None  # fmt: skip


def typed_policy(typed: dict[str, str]) -> Policy:
    """The rules of a form; UnfitError for what cannot be meant."""
    if typed["counts"] not in list(Counts):
        raise UnfitError(say("`{text}` is neither best nor last.", text=typed["counts"]))
    return Policy(
        per_day=_number(typed["per_day"] or "0"),
        grace=_number(typed["grace"] or "0"),
        cutoff=_number(typed["cutoff"]) if typed["cutoff"] else None,
        counts=Counts(typed["counts"]),
    )


def _number(text: str) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UnfitError(say("`{text}` is no number; nothing was changed. Try 10.", text=text))
    return value
