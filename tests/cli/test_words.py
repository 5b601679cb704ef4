"""What a learner reads in the terminal is said in their language; help and names stay English."""

from __future__ import annotations

import json
import re

import pytest

from tools import words

LETTERS = {"zh-CN": "[\u4e00-\u9fff]", "he": "[\u05d0-\u05ea]"}
READ_BY_LEARNERS = re.compile(
    r"tapelab/(cli/(checkup|doctor_command|grading_checkup|explain_command|lesson_commands|packages|recording_commands)"
    r"|lab/(launcher|lesson_folder))\.py"
)


@pytest.fixture(params=LETTERS)
def spoken(request, main, monkeypatch):
    """A pattern that the sentences of one of the languages have, which is the environment's."""
    monkeypatch.setenv("TAPELAB_LANGUAGE", request.param)  # which `main` has taken away
    return LETTERS[request.param]


@pytest.mark.slow
@pytest.mark.parametrize("name", words.LANGUAGES)
def test_every_sentence_of_the_commands_of_learners_is_translated(name):
    catalogue = words.updated(words.gathered(), name)
    ours = [
        message
        for message in catalogue
        if any(READ_BY_LEARNERS.fullmatch(place) for place, _ in message.locations)
    ]
    assert [each.id for each in ours if not all(words._strings(each.string))] == []
    assert len(ours) > 60


def test_doctor_says_its_verdict_and_its_cures(main, spoken):
    output = main("doctor").stdout.splitlines()
    assert re.search(spoken, output[-1])
    assert all(re.search(spoken, line) for line in output if line.startswith("    "))


def test_the_list_of_lessons_has_a_head(main, spoken):
    assert re.search(spoken, main("lessons").stdout.splitlines()[0])


@pytest.mark.parametrize(
    "wrong",
    [
        ["show", "y.tape"],
        ["explain", "a.py"],
        ["lab", "--port", "0"],
        ["lab", "--lesson", "99"],
        ["lessons", "nowhere"],
        ["export", "z.tape", "-o", "z.jpg"],
    ],
)
def test_what_cannot_be_done_is_said(main, tape, spoken, wrong):
    assert re.search(spoken, main(*wrong, code=2).stderr)


def test_programs_read_the_same_words_in_every_language(main, spoken):
    read = json.loads(main("doctor", "--json").stdout)
    assert {each["title"] for each in read["checks"]} >= {"Python", "port", "lessons"}
    assert read["state"] in {"good", "poor"}


def test_without_a_language_it_is_english(tapelab):
    assert "To begin: tapelab lab" in tapelab("lessons").stdout
