"""Text as it is, measured: folding for matching, counting, naming the language, printing safely.

Pure functions of strings. ``fold`` finds things whatever their typography and says where they stood in the original;
``measure`` counts words and sentences; ``language`` names the language; ``printable`` makes a text safe to print.
``language`` alone loads a statistical model, and only when it is first asked.
"""
