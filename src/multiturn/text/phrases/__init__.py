"""How speakers decline, language by language, as data. ``refusal`` reads it; nothing here decides anything.

``shape`` says what a language's table holds, ``table`` lists them all. To add a language, write one ``Phrases`` in the
file of its region, name it in ``table``, and add example sentences to ``tests/text/test_refusal.py``.
"""
