"""multiturn: does the model still hold a conversation? See ``multiturn.api`` for what a Python user imports."""

from importlib.metadata import version

__version__ = version("multiturn")
