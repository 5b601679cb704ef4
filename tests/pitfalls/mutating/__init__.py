"""Healthy programs with a pitfall put in at random, of which code and line are known.

`python -m tests.pitfalls.mutating --mutants 2000 --seed 1` draws that many, prints the share that
was found for each kind, and each failure as its source text.

`text.py` knows where in a program something can be put, `wraps.py` and `moves.py` what, and
`judging.py` whether a gradient changed by it and whether the finding is the right one.
"""
