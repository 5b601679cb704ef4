"""The table of ops, from their declarations: what they compute, and how gradients pass."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Final

from tapelab.core.op import REGISTRY
from tapelab.core.op_declaration import Op
from tapelab.recording.facts import Rule

SIGNS: Final = "+-"
NO_RULE: Final = "No rule: asking for a gradient is a LookupError, as in TensorFlow."


def table(files: Iterable[str]) -> str:
    """All ops that some files of tapelab declare, such as `ops.powers`, as a Markdown table."""
    return _table([op for file in files for op in declared_in(file)])


def declared_in(file: str) -> list[Op]:
    """The ops of one file; ValueError where there are none."""
    name = f"tapelab.{file}"
    import_module(name)
    found = [op for op in REGISTRY.values() if op.kernel.__module__ == name]
    if not found:
        raise ValueError(f"No op is declared in {name}.")
    return found


def _table(ops: list[Op]) -> str:
    rows = [
        "```{list-table}",
        ":header-rows: 1",
        "",
        "* - op\n  - what it computes\n  - the gradient rule of each input\n  - the JVP",
    ]
    rows += [_row(op) for op in sorted(ops, key=lambda each: each.name)]
    return "\n".join([*rows, "```"])


def _row(op: Op) -> str:
    facts = op.facts()
    computes = f"{_math(op.formula)} {op.sentence}".strip() or "—"
    if not op.rules:
        back = forward = NO_RULE
    else:
        rules = [_rule(name, rule) for name, rule in zip(facts.inputs, facts.rules, strict=True)]
        back, forward = "\n\n    ".join(rules) or "—", _forward(op, facts.rules)
    return f"* - `{op.name}`\n  - {computes}\n  - {back}\n  - {forward}"


def _rule(name: str, rule: Rule) -> str:
    """How the gradient passes to an input, or why none does."""
    if rule.because:
        return f"`{name}`: none. {rule.because}"
    return " ".join(part for part in (_math(rule.formula), rule.sentence) if part)


def _forward(op: Op, rules: tuple[Rule, ...]) -> str:
    """The JVP: local derivatives times tangents for elementwise ops, else the transposed VJP."""
    derivatives = [
        rf"{_bracketed(rule.local)} \dot {name}"
        for name, rule in zip(op.inputs, rules, strict=True)
        if rule.local
    ]
    if derivatives:
        return _math(rf"\dot {op.output} = {' + '.join(derivatives)}")
    return "none" if all(rule.because for rule in rules) else "the rule turned round"


def _bracketed(derivative: str) -> str:
    """A derivative as a factor."""
    if derivative == "1":
        return ""
    return (
        f"({derivative})" if any(sign in derivative for sign in SIGNS) else rf"{derivative} \cdot"
    )


def _math(latex: str) -> str:
    return f"${latex}$" if latex else ""
