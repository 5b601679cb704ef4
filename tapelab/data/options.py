"""`tf.data.Options`: settings of a pipeline."""

from __future__ import annotations


class Options:
    """Settings of a pipeline; nothing here depends on them."""

    def __init__(self) -> None:
        self.deterministic: bool | None = None
