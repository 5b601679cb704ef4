"""`tf.distribute`: strategies, which run on the one device that there is here."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module

__getattr__, __dir__ = in_module(__name__)
