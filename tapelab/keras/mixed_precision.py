"""`tf.keras.mixed_precision`: computing in half precision with weights in float32."""

from __future__ import annotations

from tapelab.keras import dtype_policies
from tapelab.keras.optimizers import loss_scale
from tapelab.namespace.missing_names import in_module

DTypePolicy = Policy = dtype_policies.DTypePolicy
LossScaleOptimizer = loss_scale.LossScaleOptimizer
dtype_policy = global_policy = dtype_policies.dtype_policy
set_dtype_policy = set_global_policy = dtype_policies.set_dtype_policy

__getattr__, __dir__ = in_module(__name__)
