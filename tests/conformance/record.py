"""Ask TensorFlow what every snippet gives and keep the answers: python tests/conformance/record.py.

Names of tables after it record only those. It runs in an environment of its own that has
TensorFlow; tapelab's tests need only the answers.
"""

from __future__ import annotations

import json
import sys

import tensorflow as tf
from snippets import GOLDENS, Snippet, all_tables, run


def record(snippet: Snippet) -> dict[str, object]:
    """Run one snippet on TensorFlow; what the table expects of its error must hold there.

    No global seed is set when it begins, whatever the snippets before it did.
    """
    tf.random.set_seed(None)
    answer = run(tf, snippet)
    if snippet.says not in answer.get("message", ""):
        raise ValueError(f"TensorFlow does not say {snippet.says!r}: {answer}")
    if not answer.get("warned", True):
        raise ValueError(f"TensorFlow does not warn {snippet.warns!r}")
    if "raises" in answer:
        # What TensorFlow says beyond the expected words depends on its version and machine.
        answer["message"] = snippet.says
    return answer


def record_table(table: str, snippets: list[Snippet]) -> list[str]:
    """Write the answers to one table, unless TensorFlow does not do what the table says."""
    answers, wrong = {}, []
    for snippet in snippets:
        try:
            answers[snippet.name] = record(snippet)
        except (TypeError, ValueError) as error:
            wrong.append(f"{table}: {snippet.name}: {error}")
    if not wrong:
        (GOLDENS / f"{table}.json").write_text(in_lines(answers), encoding="utf-8")
        raised = sum("raises" in answer for answer in answers.values())
        sys.stdout.write(f"{table}: {len(answers)} snippets, {raised} of them raise\n")
    return wrong


def in_lines(answers: dict[str, dict[str, object]]) -> str:
    """Write one answer a line, so that a difference between two recordings can be read."""
    lines = [f"{json.dumps(name)}: {json.dumps(a, allow_nan=False)}" for name, a in answers.items()]
    joined = ",\n".join(lines)
    return f'{{"tensorflow": "{tf.__version__}", "answers": {{\n{joined}\n}}}}\n'


def main() -> str | None:
    """Record the tables that are named, or all; say which snippets are not as their table says."""
    GOLDENS.mkdir(parents=True, exist_ok=True)
    tables = all_tables()
    names = sys.argv[1:] or list(tables)
    wrong = [line for name in names for line in record_table(name, tables[name])]
    return "\n".join(wrong) or None


if __name__ == "__main__":
    sys.exit(main())
