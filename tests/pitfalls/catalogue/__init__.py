"""All pitfalls and near misses: those of the declarations, and a family of further ones per file.

The first of each code stands in its declaration in `tapelab/diagnosis`.
"""

from importlib import import_module
from pkgutil import iter_modules

from tapelab.diagnosis.declarations import complete
from tapelab.diagnosis.families import declarations
from tests.pitfalls.snippets import Pitfall

_families = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__)]
DECLARED = [
    Pitfall(
        each.example.pitfall, each.code, complete(each.example.program), each.example.fix,
        each.example.symptom, each.example.cured, each.example.ask,
    )
    for each in declarations()
    if each.example
]  # fmt: skip

PITFALLS = [*DECLARED, *(pitfall for family in _families for pitfall in family.PITFALLS)]
NEAR_MISSES = {
    f"{each.example.pitfall} beside {each.code}": complete(each.example.near_miss)
    for each in declarations()
    if each.example
} | {name: snippet for family in _families for name, snippet in family.NEAR_MISSES.items()}
"""Code that looks like a pitfall and has no finding."""
