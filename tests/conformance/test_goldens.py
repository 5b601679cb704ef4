"""What TensorFlow answered to every snippet, tapelab answers too."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from conformance.snippets import GOLDENS, TABLES, Snippet, all_tables, run

from tests.architecture import frozen

frozen_package = frozen.frozen_package
SNIPPETS = [snippet for table in all_tables().values() for snippet in table]

# One unit in the last place is not the point; a wrong digit is.
TOLERANCES = {
    "float16": 5e-3,
    "bfloat16": 5e-2,
    "float32": 1e-5,
    "float64": 1e-9,
    "complex64": 1e-5,
    "complex128": 1e-9,
    "python": 1e-6,
}


@cache
def golden(table: str) -> dict[str, object]:
    return json.loads((GOLDENS / f"{table}.json").read_text(encoding="utf-8"))


def assert_same(got: object, expected: object, dtype: str = "python") -> None:
    """Compare two descriptions: words and integers exactly, floats within their precision."""
    if isinstance(expected, dict):
        assert isinstance(got, dict)
        assert got.keys() == expected.keys()
        dtype = expected.get("dtype", dtype)
        for key, value in expected.items():
            assert_same(got[key], value, dtype)
    elif isinstance(expected, list):
        assert isinstance(got, list)
        assert len(got) == len(expected)
        for got_item, item in zip(got, expected, strict=True):
            assert_same(got_item, item, dtype)
    elif isinstance(expected, float) and isinstance(got, float):
        precision = TOLERANCES[dtype]
        np.testing.assert_allclose(got, expected, rtol=precision, atol=precision * 0.1)
    else:
        assert got == expected
        assert type(got) is type(expected)


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda s: f"{s.table}-{s.name}")
def test_a_snippet_gives_what_tensorflow_gave(tf, snippet: Snippet):
    expected = golden(snippet.table)["answers"][snippet.name]
    tf.random.set_seed(None)  # as record.py does
    got = run(tf, snippet)
    assert got.get("warned") == expected.get("warned")
    if "raises" in expected:
        assert "raises" in got, f"TensorFlow raises {expected['raises']}, this gave {got}"
        assert got["raises"] == expected["raises"], got["message"]
        assert expected["message"] in got["message"]
    else:
        assert "value" in got, f"this raised {got}"
        assert_same(got["value"], expected["value"])


def test_every_table_is_recorded_and_every_recording_has_its_table():
    tables = all_tables()
    assert sorted(path.stem for path in GOLDENS.glob("*.json")) == sorted(tables)
    for table, snippets in tables.items():
        assert list(golden(table)["answers"]) == [snippet.name for snippet in snippets]
    assert list(TABLES.glob("*.txt")), "no table was found"


def test_the_comparison_sees_a_wrong_digit_dtype_shape_or_kind():
    right = {"kind": "tensor", "dtype": "float32", "shape": [2], "elements": [1.0, "nan"]}
    assert_same(dict(right), right)
    for key, wrong in [
        ("kind", "array"),
        ("dtype", "float64"),
        ("shape", [2, 1]),
        ("elements", [1.001, "nan"]),
        ("elements", [1.0, 2.0]),
        ("elements", [1.0]),
    ]:
        with pytest.raises(AssertionError):
            assert_same({**right, key: wrong}, right)
