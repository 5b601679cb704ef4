"""Write random programs and run each on TensorFlow and on tapelab: what differs is an error.

    python tests/conformance/fuzz.py --programs 20000 --seed 1

runs in an environment that has TensorFlow. The same seed gives the same programs. A program that
shows a difference is made as small as it can be and printed, to be pasted into a notebook. With
--captured every op call of these programs goes through a capture: a closure, an attribute, a
default argument and the like, eagerly and in functions, branches, loops and layers.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from subprocess import DEVNULL, PIPE, Popen
from threading import Thread
from typing import Any

# It runs from a checkout, beside no package of its own.
sys.path[:0] = [str(Path(__file__).parent.parent.parent), str(Path(__file__).parent)]

from fuzzing.explained import (  # noqa: E402  after the path
    OF_CONTEXTS,
    TABLE,
    explanation,
    explanation_of_captured,
)
from fuzzing.observing import difference, run  # noqa: E402  after the path
from fuzzing.programs import captured_program, participants, program  # noqa: E402  after the path
from fuzzing.rounding import ROUNDING, ROUNDING_REASON  # noqa: E402  after the path
from fuzzing.shrinking import shrink  # noqa: E402  after the path


@dataclass(frozen=True)
class Programs:
    """Which programs are run: those of a seed, with or without captures."""

    seed: int
    captured: bool = False

    def pair(self, number: int) -> tuple[str, str]:
        """The text of a program that is run, and of the same program without captures."""
        if self.captured:
            return captured_program(self.seed, number)
        text = program(self.seed, number)
        return text, text


def judge(
    tf: Any, tapelab: Any, text: str, plain: str, passed: Callable[[], None] | None = None
) -> tuple[str | None, Any]:
    """The reason why a program differs ("" for none at all, None where it has none), and how.

    `plain` is the same program without captures. What differs there too has its reason there.
    """
    ours = run(tapelab, text)
    if passed is not None:
        passed()  # what ends the process from here on is TensorFlow
    mismatch = difference(ours, run(tf, text))
    if mismatch is None:
        return "", None
    if text == plain:
        return explanation(tf, text, mismatch, ours), mismatch
    reason, other = judge(tf, tapelab, plain, plain)
    if _sort(other) == _sort(mismatch):
        return reason, mismatch
    return explanation_of_captured(tf, text, plain, mismatch, ours), mismatch


def smallest(tf: Any, tapelab: Any, text: str, plain: str, mismatch: Any) -> tuple[str, Any]:
    """A program shrunk to what still shows the same kind of difference, and that difference."""
    sort, captured = _sort(mismatch), text != plain

    def shows(candidate: str) -> bool:
        reason, other = judge(tf, tapelab, candidate, plain if captured else candidate)
        return reason is None and _sort(other) == sort

    small = shrink(text, shows)
    return small, judge(tf, tapelab, small, plain if captured else small)[1]


def _sort(mismatch: Any) -> tuple[str, ...]:
    if mismatch is None:
        return ()
    if mismatch.what != "exception":
        return (mismatch.what,)
    return (mismatch.what, mismatch.ours.partition(":")[0], mismatch.theirs.partition(":")[0])


def work(programs: Programs, numbers: range, *, shrinking: bool) -> None:
    """Try some programs and tell of each in a line of JSON: the parent reads them."""
    import tensorflow as tf

    import tapelab

    for number in numbers:
        _send({"begun": number})
        text, plain = programs.pair(number)
        reason, mismatch = judge(tf, tapelab, text, plain, lambda at=number: _send({"passed": at}))
        answer = {"number": number, "reason": reason, "raised": not text}
        if reason:
            answer |= {"report": str(mismatch)}
        elif reason is None:
            small, last = (
                smallest(tf, tapelab, text, plain, mismatch) if shrinking else (text, mismatch)
            )
            answer |= {"program": small, "report": str(last or mismatch), "whole": text}
        _send(answer)


def _send(answer: dict[str, Any]) -> None:
    sys.stdout.write("\x1e" + json.dumps(answer) + "\n")
    sys.stdout.flush()


@dataclass
class Result:
    """What has come of the programs so far."""

    done: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    shown_reasons: tuple[str, ...] = ()


def follow(programs: Programs, numbers: range, shrinking: bool, reports: Queue[Any]) -> None:
    """Keep a worker at work on its programs; one that TensorFlow ends is started again after it."""
    while numbers:
        command = [sys.executable, __file__, "--seed", str(programs.seed), "--worker",
                   f"{numbers.start},{numbers.stop},{numbers.step}"]  # fmt: skip
        command += [] if shrinking else ["--no-shrinking"]
        command += ["--captured"] if programs.captured else []
        environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
        begun = passed = None
        with Popen(command, stdout=PIPE, stderr=DEVNULL, text=True, env=environment) as worker:
            for line in worker.stdout or ():
                head, _, rest = line.rpartition("\x1e")
                del head
                answer = json.loads(rest) if line.count("\x1e") else {}
                begun = answer.get("begun", begun)
                passed = answer.get("passed", passed)
                if "number" in answer:
                    reports.put(answer)
        if worker.returncode == 0:
            return
        if begun is None:
            sys.stderr.write("A worker does not start; is TensorFlow there?\n")
            return
        reports.put(_end(programs, begun, worker.returncode, by_tensorflow=passed == begun))
        numbers = range(begun + numbers.step, numbers.stop, numbers.step)


def _end(programs: Programs, number: int, status: int, *, by_tensorflow: bool) -> dict[str, Any]:
    """The report of a program that ends the process: ours must not."""
    if by_tensorflow:
        return {"number": number, "ended": status}
    text, _ = programs.pair(number)
    return {"number": number, "reason": None, "program": text, "report": f"end: status {status}"}


def fuzz(
    programs: Programs, count: int, jobs: int, *, shrinking: bool, first: int = 0,
    shown_reasons: tuple[str, ...] = (),
) -> Result:  # fmt: skip
    """Run so many programs in several processes, and show how far they are."""
    reports: Queue[Any] = Queue()
    shares = [range(first + job, first + count, jobs) for job in range(jobs)]
    threads = [
        Thread(target=follow, args=(programs, share, shrinking, reports)) for share in shares
    ]
    for thread in threads:
        thread.start()
    result, start = Result(shown_reasons=shown_reasons), time.monotonic()
    while any(thread.is_alive() for thread in threads) or not reports.empty():
        try:
            answer = reports.get(timeout=1)
        except Empty:
            continue
        _count(result, answer, programs)
        _progress(result, count, time.monotonic() - start)
    sys.stderr.write("\n")
    return result


def _count(result: Result, answer: dict[str, Any], programs: Programs) -> None:
    result.done += 1
    if "ended" in answer:
        result.ended.append(answer["number"])
    elif answer["reason"] is None:
        result.failures.append(answer)
        _print(answer, answer["program"])
    elif answer["reason"]:
        result.reasons[answer["reason"]] += 1
        if answer["reason"] in result.shown_reasons:
            _print(answer, programs.pair(answer["number"])[0])


def _print(answer: dict[str, Any], text: str) -> None:
    why = f" ({answer['reason']})" if answer["reason"] else ""
    reports = f"\n--- program {answer['number']}{why} differs in the {answer['report']}\n"
    sys.stdout.write(reports + text + "\n")
    sys.stdout.flush()


def _progress(result: Result, count: int, seconds: float) -> None:
    if result.done % 20 == 0 or result.done == count:
        sys.stderr.write(
            f"\r{result.done} of {count} programs, {len(result.failures)} unexplained differences, "
            f"{seconds:.0f} s"
        )
        sys.stderr.flush()


def summary(result: Result, programs: Programs) -> str:
    """What is printed at the end: the counts, and every explained difference with its reason."""
    through = " through captures" if programs.captured else ""
    count = f"{len(participants())} functions take part{through}"
    lines = [f"{result.done} programs of seed {programs.seed}; {count}."]
    reasons = {each.name: each.reason for each in (*TABLE, *OF_CONTEXTS)}
    reasons[ROUNDING] = ROUNDING_REASON
    for name, times in result.reasons.most_common():
        lines.append(f"{times:6d} explained: {name}: {reasons[name]}")
    if result.ended:
        lines.append(
            f"{len(result.ended):6d} explained: TensorFlow aborted: it ends the process: "
            f"{result.ended}"
        )
    numbers = [each["number"] for each in result.failures]
    lines.append(f"{len(numbers):6d} unexplained: {numbers}")
    return "\n".join(lines)


def main() -> int:
    """Run from the command line; the exit status is 1 where a difference is unexplained."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--programs", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--captured", action="store_true", help="call every op through a capture")
    parser.add_argument("--no-shrinking", action="store_true")
    parser.add_argument("--reasons", nargs="*", default=(), metavar="REASON",
                        help="print the programs that these reasons explain")  # fmt: skip
    parser.add_argument("--show", action="store_true", help="print the programs, run nothing")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    given = parser.parse_args()
    programs = Programs(given.seed, given.captured)
    if given.worker:
        numbers = range(*map(int, given.worker.split(",")))
        work(programs, numbers, shrinking=not given.no_shrinking)
        return 0
    if given.show:
        for number in range(given.first, given.first + given.programs):
            sys.stdout.write(f"# {number}\n{programs.pair(number)[0]}\n")
        return 0
    result = fuzz(
        programs, given.programs, given.jobs, shrinking=not given.no_shrinking,
        first=given.first, shown_reasons=tuple(given.reasons),
    )  # fmt: skip
    sys.stdout.write(summary(result, programs) + "\n")
    missed = given.programs - result.done
    if missed:
        sys.stdout.write(f"{missed:6d} programs have not been run.\n")
    return 1 if result.failures or missed else 0


if __name__ == "__main__":
    sys.exit(main())
