"""Regular expressions as RE2 reads them, where Python would read them otherwise."""

from __future__ import annotations

import pytest


@pytest.fixture
def replaced(tf):
    def replaced(text, pattern, rewrite, **settings):
        return tf.strings.regex_replace(text, pattern, rewrite, **settings).numpy().decode()

    return replaced


def test_a_dollar_is_the_very_end(tf):
    assert not tf.strings.regex_full_match("a\n", "a$")


def test_digits_are_those_of_ascii(tf):
    assert not tf.strings.regex_full_match("٣", r"\d")


def test_an_empty_match_does_not_follow_a_match(replaced):
    assert replaced("baac", "a*", "-") == "-b-c-"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("[[:alpha:]]+", "<> 12_é!"),
        ("[[:digit:]_]", "ab <><><>é!"),
        ("[^[:space:]]", "<><> <><><><><>"),
        (r"\pL", None),
        ("[]a]", "<>b 12_é!"),
        ("[é!]", "ab 12_<><>"),
        (r"\z", "ab 12_é!<>"),
    ],
)
def test_classes_and_escapes(tf, replaced, pattern, expected):
    if expected is None:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
            replaced("ab 12_é!", pattern, "<>")
    else:
        assert replaced("ab 12_é!", pattern, "<>") == expected


@pytest.mark.parametrize("pattern", ["(?=a)", "(?!a)", "(?<=a)b", "(", "[", "[[:nothing:]]", "*a"])
def test_what_re2_cannot_read_is_refused(tf, pattern):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
        tf.strings.regex_replace("a", pattern, "b")


def test_a_backslash_is_written_twice(replaced):
    assert replaced("a", "a", r"\\") == "\\"


def test_bytes_that_are_no_letters_stay(tf):
    assert tf.strings.regex_replace(b"a\xffb", "a", "c").numpy() == b"c\xffb"
