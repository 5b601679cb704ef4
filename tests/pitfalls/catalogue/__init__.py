"""All pitfalls and near-misses: each file beside this one has a family of them."""

from importlib import import_module
from pkgutil import iter_modules

_families = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__)]

PITFALLS = [pitfall for family in _families for pitfall in family.PITFALLS]
NEAR_MISSES = {
    name: snippet for family in _families for name, snippet in family.NEAR_MISSES.items()
}
"""Code that looks like a pitfall and is none: nothing is to be found in it."""
