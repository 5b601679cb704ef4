"""The table of ops, from their declarations: what they compute, and how gradients pass."""

from __future__ import annotations

import importlib
import pkgutil
from collections import defaultdict
from functools import cache

import tapelab
from tapelab.engine.op import REGISTRY, Op
from tapelab.recording.facts import Rule

SIGNS = "+-"


def tables() -> str:
    """One table for each file of ops, as Markdown with HTML-free rows."""
    return "\n\n".join(f"{_heading(file)}\n\n{_table(ops)}" for file, ops in _by_file().items())


@cache
def _by_file() -> dict[str, list[Op]]:
    """All ops by the module that declares them."""
    for module in pkgutil.walk_packages(tapelab.__path__, "tapelab."):
        if module.name.startswith("tapelab.ops."):
            importlib.import_module(module.name)
    found: dict[str, list[Op]] = defaultdict(list)
    for op in REGISTRY.values():
        found[op.kernel.__module__].append(op)
    return dict(sorted(found.items()))


def _heading(file: str) -> str:
    return f"```{{rubric}} {file.rpartition('.')[2].replace('_', ' ').capitalize()}\n```"


def _table(ops: list[Op]) -> str:
    rows = [
        "```{list-table}",
        ":header-rows: 1",
        "",
        "* - op\n  - what it computes\n  - the way back, to each input\n  - the way forward",
    ]
    rows += [_row(op) for op in sorted(ops, key=lambda each: each.name)]
    return "\n".join([*rows, "```"])


def _row(op: Op) -> str:
    facts = op.facts()
    computes = f"{_math(op.formula)} {op.sentence}".strip() or "—"
    rules = [_rule(name, rule) for name, rule in zip(facts.inputs, facts.rules, strict=True)]
    back = "\n\n    ".join(rules) or "—"
    return f"* - `{op.name}`\n  - {computes}\n  - {back}\n  - {_forward(op, facts.rules)}"


def _rule(name: str, rule: Rule) -> str:
    """How the gradient passes to an input, or why none does."""
    if rule.because:
        return f"`{name}`: none. {rule.because}"
    told = " ".join(part for part in (_math(rule.formula), rule.sentence) if part)
    return told or f"`{name}`: a rule without a formula"


def _forward(op: Op, rules: tuple[Rule, ...]) -> str:
    """How tangents pass: by the local slopes of what works entry by entry, else turned round."""
    slopes = [
        rf"{_bracketed(rule.local)} \dot {name}"
        for name, rule in zip(op.inputs, rules, strict=True)
        if rule.local
    ]
    if slopes:
        return _math(rf"\dot {op.output} = {' + '.join(slopes)}")
    return "none" if all(rule.because for rule in rules) else "the rule turned round"


def _bracketed(slope: str) -> str:
    """A slope as a factor."""
    if slope == "1":
        return ""
    return f"({slope})" if any(sign in slope for sign in SIGNS) else rf"{slope} \cdot"


def _math(latex: str) -> str:
    return f"${latex}$" if latex else ""
