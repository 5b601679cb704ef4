"""The command line, told by the command itself."""

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
        name = parameter.name.upper()
        return name if parameter.required else f"[{name}]"
    return f"[{parameter.opts[0]}]"


def _parameter(parameter: Any) -> str:
    """An argument or an option, with what it is for."""
    told = getattr(parameter, "help", None) or ""
    names = [*parameter.opts, *parameter.secondary_opts]
    if parameter.param_type_name == "argument":
        names = [parameter.name.upper()]
    return f"- {', '.join(f'`{name}`' for name in names)}: {told}"
