"""`tf.random.experimental`: older names of what `tf.random` has."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.random import get_global_generator, set_global_generator
from tapelab.random.generator import Algorithm, Generator, create_rng_state
from tapelab.random.stateless import fold_in as stateless_fold_in
from tapelab.random.stateless import index_shuffle, stateless_shuffle
from tapelab.random.stateless import split as stateless_split

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "index_shuffle",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]

__getattr__, __dir__ = in_module(__name__)
