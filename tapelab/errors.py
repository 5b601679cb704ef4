"""The exception types, under TensorFlow's names; `tf.errors` is this module."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tapelab.namespace.hooks import finding_of


@dataclass(frozen=True, eq=False, repr=False)
class Refusal:
    """What the engine knows when it raises an error: facts, of which a finding can be made.

    `code` is that of the finding, `origin` the place in the learner's code, `tape` the tape that
    was asked, `ends` the tensors that have a part in it, as the log remembers them.
    """

    code: str
    origin: Any
    tape: Any = None
    ends: tuple[Any, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


def _in_a_notebook() -> bool:
    """Whether IPython runs the learner's code."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return shell is not None and shell() is not None


class Explained(Exception):  # noqa: N818 - a part of errors, none by itself
    """An error of which the diagnosis can say more, once somebody asks for its `finding`."""

    refusal: Refusal | None = None

    @property
    def finding(self) -> Any:
        """The code, the line at fault and the line to write instead; None where nothing is known.

        It is made by the diagnosis, which stands far above and is loaded only now.
        """
        if self.refusal is None:
            return None
        return finding_of(self.refusal)

    @property
    def __notes__(self) -> list[str]:  # type: ignore[override] # made when somebody looks
        """What Python prints below the error; in a notebook that is the finding as well."""
        notes: list[str] = self.__dict__.setdefault("_notes", [])
        if self.refusal is not None and not self.__dict__.get("_reported") and _in_a_notebook():
            self.__dict__["_reported"] = True
            with suppress(Exception):  # the error is shown, whatever becomes of its finding
                notes.append(str(self.finding))
        return notes


class Refused(Explained):
    """An error of Python's own of which more is known, in a type that Python shows as its base."""

    plain: ClassVar[type[Exception]] = Exception

    def __init_subclass__(cls, plain: type[Exception]) -> None:
        cls.plain = plain
        cls.__module__, cls.__qualname__ = "builtins", plain.__name__
        cls.__name__ = plain.__name__

    def __init__(self, message: str, refusal: Refusal) -> None:
        super().__init__(message)
        self.refusal = refusal

    def __reduce__(self) -> tuple[Any, ...]:
        return self.plain, self.args


class RefusedError(Refused, RuntimeError, plain=RuntimeError):
    """A tape does not answer."""


class NoGradientError(Refused, LookupError, plain=LookupError):
    """The backward pass reaches an op that has no gradient rule."""


class MisusedError(Refused, TypeError, plain=TypeError):
    """A function or a tensor cannot be used in this way."""


class InaccessibleTensorError(Explained, ValueError):
    """A tensor of an inner graph, such as the body of a loop, is used in a graph around it."""

    def __init__(self, message: str, refusal: Refusal | None = None) -> None:
        super().__init__(message)
        self.refusal = refusal

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args


class NothingArrivedError(Refused, ValueError, plain=ValueError):
    """No variable has a gradient to be changed by."""


class OpError(Explained):
    """An op could not run; `message` says what happened, why, and what to try."""

    error_code = 2

    def __init__(
        self, node_def: Any, op: Any, message: str, *, refusal: Refusal | None = None
    ) -> None:
        super().__init__(message)
        self.node_def = node_def
        self.op = op
        self.message = message
        self.refusal = refusal

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.node_def, self.op, self.message)


class CancelledError(OpError):
    """The work was called off before it finished."""

    error_code = 1


class UnknownError(OpError):
    """Something failed for a reason that is not known."""

    error_code = 2


class InvalidArgumentError(OpError):
    """An op got values, shapes or dtypes it cannot work with."""

    error_code = 3


class DeadlineExceededError(OpError):
    """The work took longer than it was given."""

    error_code = 4


class NotFoundError(OpError):
    """Something that was asked for is not there."""

    error_code = 5


class AlreadyExistsError(OpError):
    """Something that should be made is there already."""

    error_code = 6


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    error_code = 7


class UnauthenticatedError(OpError):
    """It is not known who the caller is."""

    error_code = 16


class ResourceExhaustedError(OpError):
    """Memory, or another resource, ran out."""

    error_code = 8


class FailedPreconditionError(OpError):
    """Something must happen first, such as giving a variable its value."""

    error_code = 9


class AbortedError(OpError):
    """The work was given up part-way."""

    error_code = 10


class OutOfRangeError(OpError):
    """There is nothing left to read."""

    error_code = 11


class UnimplementedError(OpError):
    """This is not supported here."""

    error_code = 12


class InternalError(OpError):
    """tapelab itself is at fault; please report it."""

    error_code = 13


class UnavailableError(OpError):
    """A service cannot be reached at the moment."""

    error_code = 14


class DataLossError(OpError):
    """Stored data are damaged."""

    error_code = 15


class OperatorNotAllowedInGraphError(TypeError):
    """Python cannot do this with a tensor whose numbers are not there yet."""


class Complaint(Exception):  # noqa: N818 - a part of errors: what is wrong, said to a person
    """What a person requested cannot be done; the message says why, and what to try.

    The command `tapelab` ends with it in one sentence, without a traceback.
    """


class RecordingError(Complaint, ValueError):
    """A recording cannot be read: not a recording, damaged, or of another schema."""


def invalid_argument(op: str, message: str, refusal: Refusal | None = None) -> InvalidArgumentError:
    """An InvalidArgumentError that ends, like TensorFlow's, in the name of the op."""
    return InvalidArgumentError(None, op, f"{message} [Op:{op}]", refusal=refusal)
