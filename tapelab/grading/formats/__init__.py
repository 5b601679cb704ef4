"""Exchange with other graders and with learning platforms, each format as its own makers read it.

`grades` and `lists` are grades as CSV, `gradescope` is one result; the others are assignments.
"""
