# ruff: noqa: RUF001 - characters of many scripts are what this is about
"""Abbreviations whose point ends no sentence, as data. Read by ``measure``.

``always`` stands before the rest of its sentence whatever follows (``e.g. Plums``); ``small`` may end a sentence, and
goes on where a small letter or a digit follows (``etc. and so on``).
"""

from __future__ import annotations

from typing import Final, Literal

_ALWAYS: Final = """
    e.g eg i.e cf viz vs mr mrs ms dr prof hon rev st messrs mme mlle mgr sr sra srta dra dott sig
    z.b bzw d.h u.a o.ä evtl ggf vgl sog bspw inkl exkl zzgl abzgl hr fr hrn p.ej p.ex par.ex t.d т.е т.н напр
    gen col capt lt sgt cmdr adm maj gov sen rep pres fig figs eq eqs sec ch vol nr no nos pp approx
"""
_SMALL: Final = """
    etc usw u.s.w al inc ltd co corp bros dept est ext min max avg std temp vol ed eds tel ave blvd rd
    a.m p.m am pm u.s u.k u.n b.c a.d ph.d m.d b.a m.a jr sr d.c jan feb mar apr jun jul aug sep sept oct nov dec
    mon tue tues wed thu thur thurs fri sat sun ca circa bzgl z.t i.d.r u.u v.a usf uvm u.v.m
    т.д т.п др руб г стр ecc pág págs núm tél env incl excl resp dgl jh jhd abb kap abs art str
"""

ENDS_NO_SENTENCE: Final[dict[str, Literal["always", "small"]]] = {
    **dict.fromkeys(_SMALL.split(), "small"),
    **dict.fromkeys(_ALWAYS.split(), "always"),
}
"""Lower case, without the last point."""

GERMAN_AFTER_ORDINAL: Final = frozenset(
    [
        *("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November"),
        *("Dezember", "Jahrhundert", "Jahrhunderts", "Platz", "Klasse", "Mal", "Stock", "Auflage", "Kapitel", "Rang"),
        *("Semester", "Lebensjahr", "Weltkrieg", "Weltkrieges", "Geburtstag", "Stunde", "Minute", "Etage", "Liga"),
    ]
)
"""After a number with a point, these go on: ``am 3. Oktober``."""
