"""Deliberate mistakes: one argument of a call is replaced by what does not fit there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .recipes import Call
    from .writer import Writer

BAD: Final = (
    "None", "'a'", "object()", "[]", "{}", "1.5", "-7", "7", "True", "[1, 2, 3, 4, 5]",
    "[[1], [2]]",
    "[[1], [2, 3]]", "[1.5]", "[-1]", "[0, 0]", "tf.constant(1.5)", "tf.constant([1, 2])", "1j",
    "tf.constant('a')", "tf.constant([True, False])", "tf.zeros([2, 2, 2, 2])", "tf.zeros([0])",
    "tf.constant(2, tf.int64)", "np.float64(1.0)", "np.array(['a'])", "tf.float32",
    "tf.Variable(1.0)",
    "[tf.constant(1.0), 2.0]", "float('nan')", "tf.constant([1 + 2j])", "[None]", "()",
    "tf.constant([[1.0, 2.0], [3.0, 4.0]])", "tf.constant([1.0, 2.0], tf.float64)",
    "tf.constant([200, 100], tf.uint8)", "tf.constant([0.5], tf.float16)",
)  # fmt: skip


def spoil(w: Writer, call: Call) -> tuple[Call, str]:
    """The call with one argument replaced, or one too many, and what has been changed."""
    settings = list(call.settings)
    change = w.rng.choice(BAD)
    if settings and w.chance(0.5):
        call.settings[w.rng.choice(settings)] = change
    elif call.args and w.chance(0.95):
        at = w.rng.randrange(len(call.args))
        call.args[at] = change
        if len(call.args) > 1 and w.chance(0.1):
            call.args[at - 1] = w.rng.choice(BAD)
    elif w.chance(0.5):
        call.settings["nonsense"] = change
    else:
        call.args.append(change)
    return call, change
