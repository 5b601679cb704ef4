"""The reference page is generated from the declarations, and every finding has one."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import tapelab.diagnosis
from tapelab.diagnosis.declarations import DECLARED, finding
from tapelab.diagnosis.families import FAMILIES, declarations
from tools import findings

FOLDER = Path(tapelab.diagnosis.__file__).parent


def test_the_page_is_what_the_generator_writes():
    assert findings.main(["--check"]) is None


def test_a_page_that_is_out_of_date_is_noticed(monkeypatch, tmp_path):
    page = tmp_path / "pitfalls.md"
    page.write_text("<!-- findings -->\nold\n<!-- /findings -->\n", encoding="utf-8")
    monkeypatch.setattr(findings, "PAGE", page)
    assert findings.main(["--check"]) == "Out of date: pitfalls.md. Run python -m tools.findings."
    assert findings.main([]) is None
    assert findings.main(["--check"]) is None


def test_every_declared_code_is_in_the_tables_once():
    page = findings.PAGE.read_text(encoding="utf-8")
    named = re.findall(r"^\| \[`([A-Z_]+)`\]", page, re.MULTILINE)
    assert named == [each.code for each in declarations()]


def codes_in(path):
    """The codes that a module writes into findings."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg == "code":
            yield from (
                each.value for each in ast.walk(node.value) if isinstance(each, ast.Constant)
            )


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_a_module_that_makes_findings_is_a_family_with_declared_codes(path):
    if path.stem == "declarations":  # the docstring has an example
        return
    codes = {code for code in codes_in(path) if isinstance(code, str) and code.isupper()}
    assert codes <= set(DECLARED)
    if codes:
        assert f"tapelab.diagnosis.{path.stem}" in FAMILIES


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_declares_a_finding(family):
    module = import_module(family)
    assert any(each.detector.__module__ == module.__name__ for each in declarations())


def test_a_code_of_tapelab_is_not_declared_twice():
    with pytest.raises(ValueError, match="STOPPED is a finding of tapelab"):
        finding("STOPPED", rank=DECLARED["STOPPED"].rank)
