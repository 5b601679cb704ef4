"""What the Tab key offers behind our magics: their words, then names of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import SimpleNamespace

    from IPython.core.interactiveshell import InteractiveShell

OPTION: Final = "--no-hints"
"""An option of `%%tape`: no line about gradients that look wrong."""
WORDS: Final[dict[str, tuple[str, ...]]] = {
    "%tape": ("on", "off"),
    "%%tape": (OPTION,),
    "%why": (),
    "%%predict": (),
}
"""The words that may follow a magic, beside names."""


def attach(shell: InteractiveShell) -> None:
    """Let the Tab key of a shell complete what follows our magics."""
    for magic in WORDS:
        shell.set_hook("complete_command", _completer(magic), str_key=magic)


def _completer(magic: str) -> Callable[[InteractiveShell, SimpleNamespace], list[str]]:
    def complete(shell: InteractiveShell, event: SimpleNamespace) -> list[str]:
        before = event.line.split()[1:]
        offered = [*WORDS[magic], *names_of_tensors(shell.user_ns)]
        if magic == "%tape" and "off" not in before:
            offered = list(WORDS[magic])
        return [each for each in offered if each.startswith(event.symbol) and each not in before]

    return complete


def names_of_tensors(space: Mapping[str, object]) -> Iterable[str]:
    """The names of tensors and variables in a notebook."""
    from tapelab.core.cell import Holder
    from tapelab.core.tensor import Tensor

    kinds = (Tensor, Holder)
    return sorted(
        name for name, each in space.items() if name[0] != "_" and isinstance(each, kinds)
    )
