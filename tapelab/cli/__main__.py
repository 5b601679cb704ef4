"""The command without its script: `python -m tapelab.cli`."""

from tapelab.cli import main

main()
