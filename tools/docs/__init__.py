"""What the documentation site is made with, besides Sphinx: see docs/conf.py."""
