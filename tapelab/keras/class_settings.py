"""Classes declared by their settings: constructor, signature and config follow from one list.

Layers, losses, metrics, optimizers and their helpers are constructed with arguments that are
stored, shown by `help` and returned by `get_config`. A class declares each of them once:

    class ELU(Layer):
        alpha: float = setting(1.0)

- A subclass inherits the settings of its base and adds its own behind them, or before the one
  named by `before`. Declaring a setting again changes its default; a plain value fixes it, so that
  it is no argument any more (`beta = 1.0` in F1Score).
- The constructor binds its arguments as a Python function does and with the same errors, lets
  `_begin` take those that belong to the base (the name and dtype of a layer), stores the others
  through their `convert`, and calls `__post_init__`, which checks them.
- A class that writes its own `__init__` keeps it. Its settings are those of `super().__init__`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from inspect import Parameter, Signature
from typing import Any, ClassVar, Final

REQUIRED: Final = Parameter.empty
END: Final = ""
"""The value of `before` for a setting behind all others."""


@dataclass(frozen=True)
class Setting:
    """An argument of a class: its default, and the function whose result is stored."""

    default: Any = REQUIRED
    convert: Callable[[Any], Any] | None = None
    before: str | None = None
    in_config: bool = True
    type: Any = Parameter.empty


def setting(
    default: Any = REQUIRED, *, convert: Callable[[Any], Any] | None = None,
    before: str | None = None, in_config: bool = True,
) -> Any:  # fmt: skip
    """Declare an argument of a class; its type is the annotation that it is assigned to."""
    return Setting(default, convert, before, in_config)


class Configured:
    """Has the constructor, the signature and the config that its settings describe."""

    _settings: ClassVar[Mapping[str, Setting]] = {}
    _takes_more: ClassVar[bool] = False
    """Whether `_begin` takes keyword arguments that are no settings."""
    _subclass_settings_before: ClassVar[str | None] = None
    """The setting before which those of subclasses are added; None: behind all."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        changed = _collect(cls)
        if changed is not None:
            cls._settings = changed
        if "__init__" not in vars(cls) and (
            changed is not None or cls.__init__ is Configured.__init__
        ):
            cls.__init__ = _constructor(cls)  # type: ignore[method-assign]  # as it is defined

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _configure(self, type(self), args, kwargs)

    def _begin(self, arguments: dict[str, Any]) -> None:
        """Take arguments out that are stored elsewhere, before the others are stored."""

    def __post_init__(self) -> None:
        """Check the settings, and store what follows from them."""

    def get_config(self) -> dict[str, Any]:
        """The settings by name: the arguments of an equal object."""
        return {name: getattr(self, name) for name, s in self._settings.items() if s.in_config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Construct an object from its config."""
        return cls(**config)


def _collect(cls: type[Configured]) -> dict[str, Setting] | None:
    """The settings of a class in the order of its arguments; None if it changes none."""
    inherited = dict(cls._settings)
    body = dict(vars(cls))
    annotations = body.get("__annotations__", {})
    declared: dict[str, Setting] = {}
    for name, value in body.items():
        if isinstance(value, Setting):
            declared[name] = replace(value, type=annotations.get(name, Parameter.empty))
        elif isinstance(value, SettingGroup):
            declared.update(value)
        else:
            continue
        delattr(cls, name)
    fixed = [name for name in inherited if name in body and name not in declared]
    if not declared and not fixed:
        return None
    order = [name for name in inherited if name not in fixed]
    own_place = cls.__bases__[0]._subclass_settings_before  # type: ignore[attr-defined]  # of ours
    for name, value in declared.items():
        before = value.before
        if before is None:
            before = name if name in order else own_place
        order = [other for other in order if other != name or other == before]
        if name not in order:
            order.insert(order.index(before) if before in order else len(order), name)
    return {name: declared.get(name) or inherited[name] for name in order}


class SettingGroup(dict[str, Setting]):
    """Settings that are declared together; the name that they are assigned to means nothing."""


def _constructor(cls: type[Configured]) -> Callable[..., None]:
    def __init__(self: Configured, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it is one
        _configure(self, cls, args, kwargs)

    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    __init__.__signature__ = _signature(cls)  # type: ignore[attr-defined]  # read by inspect
    return __init__


def _signature(cls: type[Configured]) -> Signature:
    kind = Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter("self", kind)]
    parameters += [
        Parameter(name, kind, default=each.default, annotation=each.type)
        for name, each in cls._settings.items()
    ]
    if cls._takes_more:
        parameters.append(Parameter("kwargs", Parameter.VAR_KEYWORD))
    return Signature(parameters)


def _configure(self: Configured, cls: type[Configured], args: Any, kwargs: dict[str, Any]) -> None:
    arguments = _bind(cls, args, kwargs)
    cls._begin(self, arguments)  # of the class whose constructor runs, as for a function call
    for name, value in arguments.items():
        convert = cls._settings[name].convert
        setattr(self, name, value if convert is None else convert(value))
    cls.__post_init__(self)


def _bind(cls: type[Configured], args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name, defaults included; TypeError in the words of Python's functions."""
    function, known = f"{cls.__qualname__}.__init__()", cls._settings
    required = [name for name, each in known.items() if each.default is REQUIRED]
    if len(args) > len(known):
        most = len(known) + 1
        counts = f"{most}" if len(required) == len(known) else f"from {len(required) + 1} to {most}"
        arguments = "argument" if most == 1 else "arguments"
        raise TypeError(
            f"{function} takes {counts} positional {arguments} but {len(args) + 1} were given"
        )
    given = dict(zip(known, args, strict=False))
    for name in kwargs:
        if name in given:
            raise TypeError(f"{function} got multiple values for argument {name!r}")
        if name not in known and not cls._takes_more:
            raise TypeError(f"{function} got an unexpected keyword argument {name!r}")
    given.update(kwargs)
    missing = [repr(name) for name in required if name not in given]
    if missing:
        count, several = len(missing), "s" if missing[1:] else ""
        listed = ", ".join([*missing[:-1], f"and {missing[-1]}"]) if several else missing[0]
        listed = listed.replace(", and", " and") if count == 2 else listed
        raise TypeError(
            f"{function} missing {count} required positional argument{several}: {listed}"
        )
    return {**{name: each.default for name, each in known.items()}, **given}
