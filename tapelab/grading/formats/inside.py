"""The former name of `embedded_checks`, kept for notebooks exported by tapelab 0.1 and 0.2."""

from tapelab.grading.formats.embedded_checks import earned, passed, use, use_file

__all__ = ["earned", "passed", "use", "use_file"]
