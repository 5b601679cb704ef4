"""What the learner has set: in Python with `tf.settings(…)`, or in the Tape panel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, NamedTuple

from tapelab.lab.gradient_hints import hints
from tapelab.locales import language


@dataclass(frozen=True)
class Settings:
    """How tapelab shows itself, in this kernel.

    `hints`: a line under a cell whose gradient looks wrong. `language`: of all that is said, such
    as "en", "zh-CN" or "he". `speed`: of pictures that play by themselves, 1 is the usual one.
    `rate`: the Tape panel is told so many times a second. `history`: it can open so many steps.
    """

    hints: bool
    language: str
    speed: float = 1.0
    rate: float = 20.0
    history: int = 50


class Kind(NamedTuple):
    """What a setting may be."""

    types: tuple[Any, ...]
    said: str
    least: float = 0
    most: float = 0


KINDS: Final = {
    "hints": Kind((bool,), "True or False"),
    "language": Kind((str,), 'the name of a language, such as "en", "zh-CN" or "he"'),
    "speed": Kind((int, float), "a number from 0.25 to 8", 0.25, 8),
    "rate": Kind((int, float), "a number from 1 to 30", 1, 30),
    "history": Kind((int,), "a whole number from 1 to 500", 1, 500),
}
listeners: Final[list[Callable[[], None]]] = []
"""Who is told when something was set."""
_now: Final[list[Settings]] = [Settings(hints=True, language="")]


def settings(**changes: Any) -> Settings:
    """Set how tapelab shows itself, such as `settings(hints=False, speed=2)`; tell how it is set.

    What is wrong raises and changes nothing.
    """
    known = {name: checked(name, value) for name, value in changes.items()}
    before = _told()
    if "hints" in known:
        hints(known["hints"])
    if "language" in known:
        language(known["language"])
    _now[0] = replace(before, **known)
    if _told() != before:
        for listen in tuple(listeners):
            listen()
    return _told()


def _told() -> Settings:
    return replace(_now[0], hints=hints(), language=language())


def told() -> dict[str, Any]:
    """The settings as a front-end takes them."""
    return asdict(settings())


def checked(name: str, value: Any) -> Any:
    """A value that fits a setting; TypeError or ValueError for another."""
    kind = KINDS.get(name)
    if kind is None:
        raise TypeError(f"There is no setting {name!r}. Try one of {', '.join(KINDS)}.")
    if type(value) not in kind.types:
        raise TypeError(f"{name} must be {kind.said}, got {value!r}.")
    if kind.most and not kind.least <= value <= kind.most:
        raise ValueError(f"{name} must be {kind.said}, got {value!r}.")
    return value
