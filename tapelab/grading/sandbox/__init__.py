"""What holds a learner's code: the strongest that this host has, or nothing runs at all."""

from tapelab.grading.sandbox.backends import NAMES, Backend, NoSandboxError, choose

__all__ = ["NAMES", "Backend", "NoSandboxError", "choose"]
