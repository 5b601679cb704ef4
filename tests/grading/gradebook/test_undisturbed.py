"""An interrupt within a transaction waits for its end, and is not forgotten."""

from __future__ import annotations

import signal

import pytest

from tapelab.grading.gradebook.rows import Student
from tapelab.grading.gradebook.undisturbed import undisturbed


def test_an_interrupt_comes_when_the_block_is_left():
    done = []

    def block():
        with undisturbed():
            signal.raise_signal(signal.SIGINT)
            done.append("the rest of the block")

    for calls in (1, 2):  # the second time shows that the first one left all as it was
        with pytest.raises(KeyboardInterrupt):
            block()
        assert len(done) == calls


def test_what_is_written_while_an_interrupt_comes_is_kept(book, monkeypatch):
    add = type(book)._add

    def interrupted(self, session, student):
        signal.raise_signal(signal.SIGINT)
        add(self, session, student)

    monkeypatch.setattr(type(book), "_add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        book.add_student(Student("ada"))
    assert [student.login for student in book.students()] == ["ada"]
