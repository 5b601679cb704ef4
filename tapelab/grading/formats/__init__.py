"""Exchange with other graders and learning platforms.

Assignments are imported from and exported to nbgrader, Otter and OK tests; results go to
Gradescope, grades to CSV lists of nbgrader, Canvas and Moodle, and by LTI to a platform.
"""
