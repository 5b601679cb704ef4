"""Healthy programs: whatever they do, their gradients are whole, and nothing is to be found.

Each is a text that ends with its question, `g = tape.gradient(target, [sources])`. Updates of
weights are written `assign_sub` or `apply_gradients`, so that a mutant can be compared without.
"""

from importlib import import_module
from pkgutil import iter_modules

from tests.pitfalls.snippets import dedented

_families = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__)]

HEALTHY = {
    f"{family.__name__.rpartition('.')[2]}: {name}": dedented(text)
    for family in _families
    for name, text in family.PROGRAMS.items()
}
"""The texts by family and name."""
