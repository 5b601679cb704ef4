"""The teacher's page: a gradebook looked at, and marked, in a browser.

It stands on Tornado, which JupyterLab brings along, and its pages hold no script of their own.
"""

from typing import Final

DEFAULT_PORT: Final = 8877
