"""The former name of `external_tests`, kept for exercises imported by tapelab 0.1 and 0.2."""

from tapelab.grading.formats.external_tests import asserted, doctested

__all__ = ["asserted", "doctested"]
