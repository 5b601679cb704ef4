"""What the namespace imports when it is first asked for, so that `import tapelab` starts fast."""

from __future__ import annotations

from typing import Final

MODULES: Final = ("bitwise", "debugging", "image", "nn", "random")
"""Parts of the namespace that are modules: `tf.nn` is `tapelab.nn`."""
NAMES: Final = {
    "tapelab.debugging": "assert_equal assert_greater assert_less assert_rank",
    "tapelab.diagnosis": "explain",
    "tapelab.recording": "Recording",
    "tapelab.widgets.show": "show",
    "tapelab.widgets.verdict": "check exercise hint progress",
}
"""Names of the namespace by the module they stand in: `tf.show` is `tapelab.widgets.show.show`."""
RENAMED: Final = {"load_ipython_extension": "tapelab.lab:attach"}
"""Names that are called otherwise where they stand."""

PLACES: Final[dict[str, str]] = {
    **{name: f"tapelab.{name}" for name in MODULES},
    **{name: f"{module}:{name}" for module, names in NAMES.items() for name in names.split()},
    **RENAMED,
}
"""Where each lazy name of the namespace is found: a module, or `module:attribute`."""
