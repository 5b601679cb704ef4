"""The grid of captured ops: the tables hold what it writes, and nothing in it goes unused."""

from __future__ import annotations

import re

import pytest
from conformance.fuzzing.captures import CAPTURES
from conformance.grid import OPS, SETTINGS, tables
from conformance.snippets import TABLES, read_table


@pytest.mark.parametrize("name", tables())
def test_a_table_of_captured_ops_holds_what_the_grid_writes(name):
    assert (TABLES / f"{name}.txt").read_text(encoding="utf-8") == tables()[name]


def test_every_op_has_a_turn():
    text = "\n".join(tables().values())
    missing = [op.function for op in OPS if not re.search(rf"{re.escape(op.function)}\b", text)]
    assert missing == []


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda each: each.name)
def test_every_capture_meets_every_setting(setting):
    names = {each.name for each in read_table(TABLES / f"{setting.table}.txt")}
    captures = {name for name in CAPTURES if name not in setting.without}
    for capture in captures:
        words = "_".join(capture.replace(".", "_").split())
        assert any(name.endswith(f"_by_{words}_{setting.name}") for name in names), capture
