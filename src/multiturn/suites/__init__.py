"""Suites: read from files (``reading``), remarked on (``lint``), cut down (``selection``)."""
