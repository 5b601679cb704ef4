"""`tf.summary`: numbers over the steps of a training, in files that TensorBoard shows."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module

__getattr__, __dir__ = in_module(__name__)
