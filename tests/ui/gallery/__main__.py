"""`python -m tests.ui.gallery FOLDER` writes the gallery's page into a folder."""

import sys
from pathlib import Path

from tests.ui.gallery.page import write

if __name__ == "__main__":
    print(f"Open {write(Path(sys.argv[1])).resolve().as_uri()}")
