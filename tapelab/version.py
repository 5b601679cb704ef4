"""The version of tapelab, for the package and for what it writes."""

__version__ = "0.1.0"
VERSION = __version__
