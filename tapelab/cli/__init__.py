"""Layer 7: the `tapelab` command. `app.py` puts it together; each other file is a command or two.

It ends with 0 when all is well, with 1 when something is wrong with a gradient (`explain`) or with
this host (`doctor`), and with 2 when it could not do what was asked; the error stream says why.
"""

import sys

from tapelab.installation import extra_command

try:
    import typer  # noqa: F401 - only whether it is there
except ModuleNotFoundError:
    print(f"The tapelab command needs its lab extra. Try: {extra_command('lab')}", file=sys.stderr)
    sys.exit(2)

from tapelab.cli.app import main

__all__ = ["main"]
