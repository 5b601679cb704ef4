"""The callbacks of one training run, called together at each of its events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from tapelab.keras.callbacks.callback import Callback, History
from tapelab.keras.callbacks.loggers import ProgbarLogger

EVENTS: Final = tuple(name for name in vars(Callback) if name.startswith("on_"))


class CallbackList:
    """Calls the method of an event on each of several callbacks."""

    def __init__(self, callbacks: Iterable[Callback], model: Any, params: dict[str, Any]) -> None:
        self.callbacks = list(callbacks)
        self.history: History | None = None
        for each in self.callbacks:
            each.set_model(model)
            each.set_params(params)

    @classmethod
    def of(
        cls, given: Any, model: Any, verbose: Any, *, epochs: int, steps: int | None,
        history: bool = False,
    ) -> CallbackList:  # fmt: skip
        """Return the user's callbacks, with one that prints and one that collects the history."""
        if isinstance(given, CallbackList):
            return given
        listed = [] if given is None else given if isinstance(given, (list, tuple)) else [given]
        verbosity = 1 if verbose == "auto" else int(verbose)
        callbacks = [*listed, *([ProgbarLogger()] if verbosity else [])]
        recorder = next((each for each in callbacks if isinstance(each, History)), None)
        if history and recorder is None:
            recorder = History()
            callbacks.append(recorder)
        together = cls(callbacks, model, {"verbose": verbosity, "epochs": epochs, "steps": steps})
        together.history = recorder
        return together

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name not in EVENTS:
            raise AttributeError(f"'CallbackList' object has no attribute '{name}'")

        def call_all(*args: Any) -> None:
            has_number = "epoch" in name or "batch" in name
            arguments = args if len(args) > has_number else (*args, {})
            for each in self.callbacks:
                getattr(each, name)(*arguments)

        return call_all
