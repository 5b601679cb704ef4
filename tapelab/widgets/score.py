"""What was predicted in a live picture, as a card below it that a saved notebook keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from tapelab.locales import say, say_many
from tapelab.views.card import DATA, card, prose

Guesses = Sequence[Mapping[str, Any]]


class Score:
    """The card of one picture; there is nothing in it before the first answer."""

    def __init__(self) -> None:
        self._name = ""

    def show(self, guesses: Guesses) -> None:
        """Put the card below what the running cell has shown."""
        self._name = uuid4().hex
        self._publish(guesses, update=False)

    def update(self, guesses: Guesses) -> None:
        """Tell of another answer, if the card is shown anywhere."""
        if self._name:
            self._publish(guesses, update=True)

    def _publish(self, guesses: Guesses, *, update: bool) -> None:
        from IPython.display import publish_display_data

        publish_display_data(bundle(guesses), transient={"display_id": self._name}, update=update)


def bundle(guesses: Guesses) -> dict[str, Any]:
    """The card as HTML, as text, and as the data that `tapelab.exercises.predictions` reads."""
    data = {"predictions": list(guesses)}
    if not guesses:
        return {"text/html": "", "text/plain": "", DATA: data}
    right = sum(each["right"] for each in guesses)
    head = say_many(
        "Predicted {right} of {count} step.",
        "Predicted {right} of {count} steps.",
        len(guesses),
        right=right,
    )
    lines = [_line(each) for each in guesses]
    rows = "".join(f"<li>{prose(line)}</li>" for line in lines)
    body = f'<div class="head"><h3>{prose(head)}</h3></div><div class="say"><ul>{rows}</ul></div>'
    text = "\n".join([head, *(f"  {line.replace('`', '')}" for line in lines)])
    return {"text/html": card(head, body), "text/plain": text, DATA: data}


def _line(guess: Mapping[str, Any]) -> str:
    named = {name: f"`{guess[name]}`" for name in ("of", "said", "truth")}
    if guess["right"]:
        return say("step {step}, {of}: {said}, right", step=guess["step"], **named)
    return say("step {step}, {of}: {said}, it is {truth}", step=guess["step"], **named)
