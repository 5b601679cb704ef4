"""Which public functions take part: all that TensorFlow has too, but for the few named here."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Final

import tapelab
from tapelab import ops
from tapelab.core.op import REGISTRY

ROOMS: Final = ("", "math", "nn", "linalg", "bitwise", "image", "signal", "debugging")
"""The modules of the namespace whose functions take tensors and give tensors."""
LEFT_OUT: Final = {
    "draws at random": "nn.dropout nn.experimental.stateless_dropout nn.sampled_softmax_loss "
    "nn.nce_loss nn.fixed_unigram_candidate_sampler nn.log_uniform_candidate_sampler "
    "nn.uniform_candidate_sampler nn.learned_unigram_candidate_sampler "
    "nn.all_candidate_sampler nn.compute_accidental_hits nn.fractional_avg_pool "
    "nn.fractional_max_pool image.random_brightness image.random_contrast image.random_crop "
    "image.random_flip_left_right image.random_flip_up_down image.random_hue "
    "image.random_saturation image.random_jpeg_quality image.sample_distorted_bounding_box "
    "image.stateless_random_brightness image.stateless_random_contrast "
    "image.stateless_random_crop image.stateless_random_flip_left_right "
    "image.stateless_random_flip_up_down image.stateless_random_hue "
    "image.stateless_random_saturation image.stateless_random_jpeg_quality "
    "image.stateless_sample_distorted_bounding_box",
    "gives no value to compare": "print device control_dependencies init_scope name_scope "
    "get_current_name_scope executing_eagerly get_logger debugging.set_log_device_placement "
    "debugging.get_log_device_placement debugging.enable_check_numerics "
    "debugging.disable_check_numerics debugging.enable_traceback_filtering "
    "debugging.disable_traceback_filtering debugging.is_traceback_filtering_enabled",
    "is out of date and says so in the log": "guarantee_const",
    "takes functions, and is tried by the goldens": "custom_gradient function py_function "
    "numpy_function map_fn while_loop cond case switch_case foldl foldr scan vectorized_map "
    "recompute_grad grad_pass_through autodiff nest config einsum_dims scatter_nd_non_aliasing",
    "is of this package only": "show explain check exercise hint progress why "
    "load_ipython_extension",
}
"""Functions that do not take part, by the reason."""


@cache
def load_every_op() -> None:
    """Import every module that declares ops, so that the registry is complete."""
    for module in pkgutil.iter_modules(ops.__path__, "tapelab.ops."):
        importlib.import_module(module.name)


@cache
def functions() -> dict[str, Callable[..., Any]]:
    """Every function that may take part, by all its public names: `sin`, `math.sin`, `nn.relu`."""
    load_every_op()
    left_out = {name for names in LEFT_OUT.values() for name in names.split()}
    by_name: dict[str, Callable[..., Any]] = {}
    for room in ROOMS:
        place = _room(room)
        for name in sorted(dir(place)) if place is not None else ():
            full = f"{room}.{name}" if room else name
            if name.startswith("_") or full in left_out:
                continue
            # What is listed and not there is for test_namespace to say.
            with suppress(ImportError, AttributeError):
                value = getattr(place, name)
                if _is_function(value):
                    by_name[full] = value
    return by_name


def _room(name: str) -> Any:
    return getattr(tapelab, name, None) if name else tapelab


def _is_function(value: Any) -> bool:
    return callable(value) and not inspect.isclass(value) and not inspect.ismodule(value)


@cache
def parameters(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The parameters of a function that must be given, and those that may be."""
    needed: list[str] = []
    optional: list[str] = []
    for each in inspect.signature(functions()[name]).parameters.values():
        if each.kind in {each.VAR_KEYWORD, each.VAR_POSITIONAL} or each.name == "name":
            continue
        (needed if each.default is each.empty else optional).append(each.name)
    return tuple(needed), tuple(optional)


def op_behind(name: str) -> Any:
    """The declared op of the same name, None if there is none."""
    return REGISTRY.get(name.rpartition(".")[2])
