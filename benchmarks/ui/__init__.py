"""How fast the Explorer is in real JupyterLab and a real Chromium: `make bench-ui`."""
