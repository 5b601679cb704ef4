"""`tf.train`: checkpoints, and the messages of examples."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module

__getattr__, __dir__ = in_module(__name__)
