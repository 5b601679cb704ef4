"""Layer 6: grading. A worker runs what a learner wrote, a judge outside it says what it is worth.

`grade(submission, assignment)` is a Result; batches, gradebook and formats are built on that.
"""
