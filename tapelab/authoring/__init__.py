"""Layer 6: what a teacher writes, made into what learners get.

A work is a folder:

    gradients/
        exercises.py   EXERCISES = (Exercise(…), …), and where wanted TITLE, FILES (names of files
                       that go to the learners), LIMITS, POINTS (the sum, to be checked) and
                       COUNT_HINTS = True (what hints cost is taken off)
        notebook.py    the text: a percent script whose header names the lesson, with cells that
                       hold `### BEGIN SOLUTION`, `### INSTEAD` and `### END SOLUTION`
        data.csv …     files beside it

The lesson of the header is the first part of the ids: `gradients` for `gradients.1`. A check is
public unless it ends in `.hidden()` or `.private()`, written where the checks are listed. Learners
get the notebook without solutions, `exercises.py` without private checks and with no more of the
hidden ones than title and points, and the files. See `releasing.py` for how that is proved.
"""
