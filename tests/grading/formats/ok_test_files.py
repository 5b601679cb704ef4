"""OK tests as the text of their files, from which the tests read them; tapelab writes none."""

from __future__ import annotations

import pprint
from typing import Any

from tapelab.grading.formats.ok_tests import Case, Question


def spec_of(test: Question) -> dict[str, Any]:
    """The dict that Otter reads."""
    points = list(test.points) if isinstance(test.points, tuple) else test.points
    suite = {"cases": [_spec_of_case(each) for each in test.cases], "scored": True,
             "setup": "", "teardown": "", "type": "doctest"}  # fmt: skip
    total = {"all_or_nothing": True} if test.all_or_nothing else {}
    return {"name": test.name, "points": points, **total, "suites": [suite]}


def text_of(test: Question) -> str:
    """The text of a test file."""
    data = pprint.pformat(spec_of(test), width=96, sort_dicts=False)
    return f"OK_FORMAT = True\n\ntest = {data}\n"


def _spec_of_case(case: Case) -> dict[str, Any]:
    data = {"name": case.name, "points": case.points, "success_message": case.success_message,
            "failure_message": case.failure_message}  # fmt: skip
    known = {key: value for key, value in data.items() if value not in {"", None}}
    return {"code": case.code, "hidden": case.hidden, "locked": False, **known}
