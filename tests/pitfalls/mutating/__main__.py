"""The command: how many mutants of each kind are explained rightly."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections import Counter

from tests.pitfalls.mutating.judging import Verdict, verdicts

JUDGED = ("found", "missed", "alarm")


def collected(mutants: int, seed: int) -> list[Verdict]:
    """Verdicts until enough mutants were judged; the others are among them."""
    found: list[Verdict] = []
    count = 0
    with contextlib.redirect_stdout(io.StringIO()):
        for verdict in verdicts(seed):
            found.append(verdict)
            count += verdict.outcome in JUDGED
            if count == mutants:
                return found
    return found


def table(all_verdicts: list[Verdict]) -> str:
    """The share of each kind."""
    counts = Counter((each.kind, each.outcome) for each in all_verdicts)
    outcomes = (*JUDGED, "unchanged", "raised", "none")
    rows = [f"{'kind':32}{'share':>8}" + "".join(f"{each:>11}" for each in outcomes)]
    for kind in (*dict.fromkeys(each.kind for each in all_verdicts), "all"):
        own = [
            sum(n for (k, o), n in counts.items() if o == outcome and kind in (k, "all"))
            for outcome in outcomes
        ]
        share = f"{own[0] / total:.1%}" if (total := sum(own[:3])) else "-"
        rows.append(f"{kind:32}{share:>8}" + "".join(f"{each:>11}" for each in own))
    return "\n".join(rows)


def main() -> None:
    """Draw mutants, print each failure and the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.pitfalls.mutating", description=__doc__)
    parser.add_argument("--mutants", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    all_verdicts = collected(chosen.mutants, chosen.seed)
    for verdict in all_verdicts:
        if verdict.outcome in ("missed", "alarm"):
            assert verdict.mutant is not None
            print(f"--- {verdict.kind}: {verdict.outcome}, wanted {verdict.mutant.code}")
            print(f"    got {verdict.said}\n{verdict.mutant.text}")
    print(table(all_verdicts))


if __name__ == "__main__":
    main()
