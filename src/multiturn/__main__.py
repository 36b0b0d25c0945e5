"""``python -m multiturn`` is the command line."""

from multiturn.cli import main

main()
