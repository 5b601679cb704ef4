"""Automatic differentiation made visible: write TensorFlow-style code, step through its tape."""

__version__ = "0.1.0"
