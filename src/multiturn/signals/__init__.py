"""Signals: numbers and flags measured on every reply, with no expectation attached.

``measure`` runs them all over a transcript; ``kinds`` says what each is. One file for each that needs more than a line.
"""
