"""Functions of higher layers that lower ones call.

An error can be asked for its finding, and a recording for its picture. What finds and what draws
stands far above both, so neither imports it: each calls a hook, which knows nothing of who answers.
`tapelab/__init__.py`, where all parts of the package come together, fills the hooks; what it fills
them with is loaded when it is first called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final


class Hook:
    """A function of one thing, which a layer above provides."""

    __slots__ = ("_function",)
    _function: Callable[[Any], Any]

    def fill(self, function: Callable[[Any], Any]) -> None:
        """Provide the function."""
        self._function = function

    def __call__(self, argument: Any) -> Any:
        """What the function returns of a thing."""
        return self._function(argument)


finding_of: Final = Hook()
"""From an `errors.Refusal` to its `Finding`; None where nothing is known."""
picture_of: Final = Hook()
"""From what is `Pictured` to the `Drawable` that draws it."""
output_of: Final = Hook()
"""From what is `Pictured` to the output of a notebook's cell that ends in it, by MIME type."""
