"""The reference of the command line, made from the command itself."""

from __future__ import annotations

from typing import Any

import typer

from tapelab.cli.app import app


def described() -> str:
    """Each command with its arguments and options, as Markdown."""
    return "\n".join(_described(typer.main.get_command(app), "tapelab"))


def _described(command: Any, path: str) -> list[str]:
    """A command and those below it."""
    inner = getattr(command, "commands", {})
    usage = " ".join([path, *(["COMMAND"] if inner else []), *map(_usage, command.params)])
    parts = [f"``````{{describe}} {usage}", (command.help or "").strip(), ""]
    parts += [line for each in command.params if (line := _parameter(each))]
    parts += ["``````", ""]
    for name, each in inner.items():
        parts += _described(each, f"{path} {name}")
    return parts


def _usage(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        name = _value(parameter)
        return name if parameter.required else f"[{name}]"
    return f"[{_option(parameter, parameter.opts[0])}]"


def _parameter(parameter: Any) -> str:
    """An argument or an option, with what it is for."""
    help_text = getattr(parameter, "help", None) or ""
    if parameter.param_type_name == "argument":
        return f"- `{_value(parameter)}`: {help_text}"
    names = [_option(parameter, each) for each in (*parameter.opts, *parameter.secondary_opts)]
    return f"- {', '.join(f'`{name}`' for name in names)}: {help_text}"


def _option(parameter: Any, name: str) -> str:
    """An option as it is typed, with the value it takes."""
    return name if parameter.is_flag else f"{name} {_value(parameter)}"


def _value(parameter: Any) -> str:
    """What stands for a value."""
    return str(parameter.metavar or parameter.name.upper())
