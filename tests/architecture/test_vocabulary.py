"""Names and sentences use the words of the glossary, and modules are named by nouns."""

from __future__ import annotations

import pytest

from tools import vocabulary
from tools.vocabulary import ALLOWED, FILES, FOLDERS, ING_MODULES, SHARED


@pytest.mark.parametrize("path", [*FOLDERS, *FILES])
def test_no_replaced_word_is_used(path):
    hits = vocabulary.hits([path])
    assert not hits, "Replaced words:\n" + "\n".join(map(str, hits[:100]))


def test_no_module_is_named_by_a_participle_without_a_reason():
    assert not vocabulary.ing_modules()


def test_no_two_modules_share_a_base_name_without_a_reason():
    shared = vocabulary.shared_base_names()
    assert {base: paths for base, paths in shared.items() if base not in SHARED} == {}


def test_no_local_variable_has_a_name_without_content():
    assert not vocabulary.vague_names()


@pytest.mark.parametrize("allowed", ALLOWED, ids=lambda allowed: f"{allowed.path} {allowed.word}")
def test_each_exception_has_a_reason_and_a_hit(allowed):
    hits = [hit for hit in vocabulary.all_hits() if hit.path.startswith(allowed.path)]
    assert allowed.because
    assert any(allowed.word in {"", hit.word} for hit in hits)


def test_each_excused_module_name_exists():
    names = vocabulary.module_names()
    assert set(ING_MODULES) <= names
    assert set(SHARED) <= set(vocabulary.shared_base_names())


@pytest.mark.parametrize(
    ("path", "text", "word"),
    [
        ("tapelab/a.py", "def tell_story(x): ...", "tell"),
        ("tapelab/a.py", "x.wasTold = 1", "told"),
        ("tapelab/a.py", "fields['told']", "told"),
        ("tapelab/a.py", '"""The gradient on the\nway back."""', "way back"),
        ("tapelab/a.py", "x = 1  # nobody holds it", "nobody"),
        ("extension/src/a.ts", "const roadWidth = 3;", "road"),
        ("extension/src/a.ts", "// The way back.", "way back"),
        ("docs/a.md", "Whole numbers have no gradient.", "whole numbers"),
        ("notebooks/a.ipynb", '{"cells": [{"source": ["Its slope ", "is 2."]}]}', "slope"),
    ],
)
def test_a_replaced_word_is_found(path, text, word):
    reader = vocabulary.READERS[path[path.rindex(".") :]]
    assert [hit.word for hit in reader(path, text)] == [word]


@pytest.mark.parametrize(
    "text",
    [
        "steel = untold(hearth, planes, abroad)",
        '"""The backward pass uses the derivative."""',
        "# A trace listed twice.",
    ],
)
def test_a_word_that_only_contains_a_replaced_one_is_none(text):
    assert not list(vocabulary.hits_in_python("tapelab/a.py", text))


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("def f(x):\n    found = x\n    return found", ["f: found"]),
        ("def f(made):\n    return made", ["f: made"]),
        ("def f(x):\n    gradient = x\n    return gradient", []),
    ],
)
def test_a_name_without_content_is_found(code, names):
    assert vocabulary.vague_names_in(code) == names
