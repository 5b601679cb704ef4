"""The callbacks of one training run, called together at each of its events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from tapelab.keras.callbacks.callback import Callback, History
from tapelab.keras.callbacks.progress import ProgbarLogger

EVENTS: Final = tuple(name for name in vars(Callback) if name.startswith("on_"))


class CallbackList:
    """Several callbacks that are told together."""

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
        """The callbacks of a learner, with one that prints and one that remembers."""
        if isinstance(given, CallbackList):
            return given
        listed = [] if given is None else given if isinstance(given, (list, tuple)) else [given]
        loud = 1 if verbose == "auto" else int(verbose)
        found = [*listed, *([ProgbarLogger()] if loud else [])]
        memory = next((each for each in found if isinstance(each, History)), None)
        if history and memory is None:
            memory = History()
            found.append(memory)
        made = cls(found, model, {"verbose": loud, "epochs": epochs, "steps": steps})
        made.history = memory
        return made

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name not in EVENTS:
            raise AttributeError(f"'CallbackList' object has no attribute '{name}'")

        def tell(*args: Any) -> None:
            counted = "epoch" in name or "batch" in name
            told = args if len(args) > counted else (*args, {})
            for each in self.callbacks:
                getattr(each, name)(*told)

        return tell
