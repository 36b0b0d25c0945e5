"""Checks: exact questions about one reply. Each kind is a small frozen value; its fields are its configuration.

What this folder knows: values, and the text measures of ``multiturn.text``. What it does not:
models, stores, statistics.
"""
