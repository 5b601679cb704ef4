"""Settings of this kernel, changed with `tf.settings(…)` or in the Tape panel."""

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
    `rate`: the Tape panel is updated so many times a second. `history`: it can open so many steps.
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
    "history": Kind((int,), "an integer from 1 to 500", 1, 500),
}
observers: Final[list[Callable[[], None]]] = []
"""Functions that are called after a setting has changed."""
_now: Final[list[Settings]] = [Settings(hints=True, language="")]


def settings(**changes: object) -> Settings:
    """Set how tapelab shows itself, such as `settings(hints=False, speed=2)`; return the settings.

    What is wrong raises and changes nothing.
    """
    known = {name: checked(name, value) for name, value in changes.items()}
    before = _current_settings()
    if "hints" in known:
        hints(known["hints"])
    if "language" in known:
        language(known["language"])
    _now[0] = replace(before, **known)
    if _current_settings() != before:
        for observer in tuple(observers):
            observer()
    return _current_settings()


def _current_settings() -> Settings:
    return replace(_now[0], hints=hints(), language=language())


def settings_json() -> dict[str, Any]:
    """The settings as JSON values, as a front-end receives them."""
    return asdict(settings())


def checked(name: str, value: object) -> Any:
    """A value that fits a setting; TypeError or ValueError for another."""
    kind = KINDS.get(name)
    if kind is None:
        raise TypeError(f"There is no setting {name!r}. Try one of {', '.join(KINDS)}.")
    if type(value) not in kind.types:
        raise TypeError(f"{name} must be {kind.said}, got {value!r}.")
    if isinstance(value, (int, float)) and kind.most and not kind.least <= value <= kind.most:
        raise ValueError(f"{name} must be {kind.said}, got {value!r}.")
    return value
