"""The ways in which a program stores a function and calls it later: its captures.

A capture is text: the statements that store a function, and the expression that loads it. Where
the loaded function wraps the stored one, its parameters are `{tensors}{settings}` and it calls the
stored function with `{arguments}`; every other capture gives the stored function itself.
`{function}` is the expression of the function and `{n}` a number that makes the names unique.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent
from typing import Final


@dataclass(frozen=True)
class Capture:
    """One way to store a function, the expression that loads it, and what both need."""

    name: str
    store: str
    load: str
    imports: tuple[str, ...] = ()
    wraps: bool = False

    def stored(
        self, function: str, n: int | str = "", tensors: str = "*args",
        settings: str = ", **settings", arguments: str = "*args, **settings",
    ) -> list[str]:  # fmt: skip
        """The statements that store a function; what wraps it takes any arguments."""
        words = {"{function}": function, "{n}": str(n)}
        words |= {"{tensors}": tensors, "{settings}": settings, "{arguments}": arguments}
        return _filled(self.store, words).splitlines()

    def loaded(self, function: str, n: int | str = "") -> str:
        """The expression that can be called in place of the function."""
        return _filled(self.load, {"{function}": function, "{n}": str(n)})


def _filled(text: str, words: dict[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


def _capture(
    name: str, store: str, load: str, *imports: str, wraps: bool = False
) -> tuple[str, Capture]:
    return name, Capture(name, dedent(store).strip(), load, imports, wraps)


CAPTURES: Final[dict[str, Capture]] = dict([
    _capture("variable", "act{n} = {function}", "act{n}"),
    _capture(
        "closure",
        """
        def holding{n}(act):
            def use({tensors}{settings}):
                return act({arguments})
            return use
        use{n} = holding{n}({function})
        """,
        "use{n}",
        wraps=True,
    ),
    _capture(
        "two closures",
        """
        def outer{n}(act):
            def middle():
                def inner({tensors}{settings}):
                    return act({arguments})
                return inner
            return middle()
        use{n} = outer{n}({function})
        """,
        "use{n}",
        wraps=True,
    ),
    _capture(
        "attribute",
        """
        class Holder{n}:
            def __init__(self, act):
                self.act = act
        holder{n} = Holder{n}({function})
        """,
        "holder{n}.act",
    ),
    _capture(
        "method",
        """
        class Holder{n}:
            def __init__(self, act):
                self.act = act
            def __call__(self, {tensors}{settings}):
                return self.act({arguments})
        holder{n} = Holder{n}({function})
        """,
        "holder{n}",
        wraps=True,
    ),
    _capture(
        "static method",
        """
        class Holder{n}:
            act = staticmethod({function})
        """,
        "Holder{n}().act",
    ),
    _capture(
        "class attribute",
        """
        class Holder{n}:
            act = {function}
        """,
        "Holder{n}.act",
    ),
    _capture(
        "call of a class",
        """
        class Op{n}:
            __call__ = staticmethod({function})
        """,
        "Op{n}()",
    ),
    _capture(
        "property",
        """
        class Holder{n}:
            @property
            def act(self):
                return {function}
        """,
        "Holder{n}().act",
    ),
    _capture(
        "missing attribute",
        """
        class Holder{n}:
            def __getattr__(self, name):
                return {"act": {function}}[name]
        """,
        "Holder{n}().act",
    ),
    _capture("dict", 'table{n} = {"other": None, "act": {function}}', 'table{n}["act"]'),
    _capture("list", "acts{n} = [None, {function}]", "acts{n}[1]"),
    _capture("nested list", "acts{n} = [[None], [[{function}]]]", "acts{n}[1][0][0]"),
    _capture("tuple", "acts{n} = ({function}, None)", "acts{n}[0]"),
    _capture(
        "named tuple",
        """
        Acts{n} = collections.namedtuple("Acts{n}", "act")
        acts{n} = Acts{n}({function})
        """,
        "acts{n}.act",
        "collections",
    ),
    _capture("set", "acts{n} = {{function}}", "next(iter(acts{n}))"),
    _capture(
        "default argument",
        """
        def use{n}({tensors}, act={function}{settings}):
            return act({arguments})
        """,
        "use{n}",
        wraps=True,
    ),
    _capture(
        "lambda",
        "use{n} = lambda {tensors}, act={function}{settings}: act({arguments})",
        "use{n}",
        wraps=True,
    ),
    _capture(
        "map",
        """
        mapped{n} = {function}
        def use{n}({tensors}{settings}):
            return list(map(lambda _: mapped{n}({arguments}), [None]))[0]
        """,
        "use{n}",
        wraps=True,
    ),
    _capture("partial", "act{n} = functools.partial({function})", "act{n}", "functools"),
    _capture(
        "wraps",
        """
        def decorated{n}(act):
            @functools.wraps(act)
            def use({tensors}{settings}):
                return act({arguments})
            return use
        act{n} = decorated{n}({function})
        """,
        "act{n}",
        "functools",
        wraps=True,
    ),
    _capture(
        "cached",
        """
        @functools.cache
        def act{n}():
            return {function}
        """,
        "act{n}()",
        "functools",
    ),
    _capture(
        "module",
        """
        library{n} = types.ModuleType("library{n}")
        library{n}.act = {function}
        """,
        "library{n}.act",
        "types",
    ),
    _capture(
        "namespace",
        "library{n} = types.SimpleNamespace(act={function})",
        "library{n}.act",
        "types",
    ),
    _capture(
        "tf.Module",
        """
        class Block{n}(tf.Module):
            def __init__(self, act):
                super().__init__()
                self.act = act
        block{n} = Block{n}({function})
        """,
        "block{n}.act",
    ),
    _capture("copy", "acts{n} = copy.deepcopy([{function}])", "acts{n}[0]", "copy"),
    _capture("weak reference", "act{n} = weakref.ref({function})", "act{n}()", "weakref"),
])  # fmt: skip
"""Every capture by its name. A wrapping one is called with what its parameters take."""
