# ruff: noqa: RUF001 - tables of words of many scripts
"""Words around numbers, as data: numbers up to twelve, millions, months, and what is numbered. Read by ``numbers``.

Words are in small letters unless a capital tells (``May``, ``Mai``).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final


def _numbered(words: str, first: int) -> dict[str, Decimal]:
    """Words in order, variants of one parted by a bar; an underscore stands for one that is left out."""
    parted = enumerate(words.split())
    return {word: Decimal(first + index) for index, each in parted for word in each.split("|") if word != "_"}


NUMBER_WORDS: Final[dict[str, Decimal]] = {
    **_numbered("zero|zéro|cero|ноль|нуль", 0),
    **_numbered("two three four five six seven eight nine ten eleven twelve", 2),
    **_numbered("eins zwei|zwo drei vier fünf|fuenf sechs sieben acht neun zehn _ zwölf|zwoelf", 1),
    **_numbered("deux trois quatre cinq six _ huit _ dix onze douze", 2),
    **_numbered("_ tres cuatro cinco seis siete ocho nueve diez _ doce", 2),
    **_numbered(
        "два|две|двух|двумя три|трёх|трех|тремя четыре|четырёх|четырех пять|пяти шесть|шести семь|семи восемь|восьми "
        "девять|девяти десять|десяти одиннадцать|одиннадцати двенадцать|двенадцати",
        2,
    ),
}
"""Count wherever they stand."""

ARTICLES: Final[dict[str, Decimal]] = dict.fromkeys(
    [
        *("one", "ein", "eine", "einen", "einem", "einer", "eines", "un", "une", "una", "uno"),
        *("один", "одна", "одно", "одну", "одного", "одной"),
    ],
    Decimal(1),
)
"""Are articles and pronouns too, so they count only beside a unit that is asked for."""

NOT_ENGLISH: Final = {
    "dos": Decimal(2),
    "sept": Decimal(7),
    "neuf": Decimal(9),
    "elf": Decimal(11),
    "once": Decimal(11),
}
"""Mean something else in English or elsewhere: they count in a text that is plainly not English, or beside a unit."""

HAN_NUMBERS: Final = {
    han: Decimal(value)
    for han, value in zip("一二两兩三四五六七八九十", (1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10), strict=True)
} | {"十一": Decimal(11), "十二": Decimal(12)}
"""Count only beside a unit that is asked for."""

LARGER: Final = (
    r"twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|vingts?|trente|quarante|cinquante|soixante|cents?|mille|"
    r"veinte|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien|ciento|mil|"
    r"двадцать|двадцати|тридцать|тридцати|сорок|пятьдесят|шестьдесят|семьдесят|восемьдесят|девяносто|сто|тысячи?|hundert|tausend"
)
"""Words of larger numbers: beside them a small one is a part of theirs."""

PARTS: Final = (
    r"hal(?:f|ves)|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|tenths?|drittel|viertel|fünftel|tiers|quarts?"
)
"""``two thirds`` is no two."""

SCALES: Final[tuple[tuple[str, int], ...]] = (
    (r"thousand|tausend|тысяч[аи]?|тыс\.?|mil(?![a-z])|千(?![米克瓦卡])", 3),
    (r"万|萬", 4),
    (r"millions?|millionen|mio\.?|mill[oó]n(?:es)?|миллион(?:а|ов)?|млн", 6),
    (r"亿|億", 8),
    (r"billions?|milliarden?|milliards?|mrd\.?|миллиард(?:а|ов)?|млрд", 9),
    (r"trillions?", 12),
)
"""What multiplies the digits before it, and by which power of ten."""

MONTHS: Final = (
    r"January|February|March|April|May|June|July|August|September|October|November|December|"
    r"(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?|"
    r"Januar|Jänner|Februar|März|Mai|Juni|Juli|Oktober|Dezember|"
    r"janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|"
    r"enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|"
    r"января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря"
)

NUMBERED: Final = (
    r"days?|steps?|turns?|weeks?|parts?|chapters?|sections?|options?|questions?|examples?|exercises?|phases?|rounds?|levels?|stages?|lessons?|"
    r"scenes?|acts?|tips?|points?|items?|tasks?|rules?|figures?|versions?|(?<=\w )nos?\.|nr\.|n°|nº|№|"
    r"tage?|schritte?|woche|wochen|teile?|kapitel|abschnitt|frage|beispiel|aufgabe|runde|stufe|lektion|szene|tipp|punkt|regel|"
    r"jours?|étapes?|semaines?|parties?|chapitres?|exemples?|exercices?|leçons?|scènes?|règles?|"
    r"días?|pasos?|semanas?|partes?|capítulos?|sección|opción|opciones|preguntas?|ejemplos?|ejercicios?|fases?|lección|escenas?|reglas?|"
    r"день|дня|шаги?|шага|неделя|неделю|часть|глава|глав[уы]|раздел|вариант|вопрос|пример|задание|этап|урок|сцена|совет|пункт|правило"
)
"""What counts by a number behind it: Day 3, Step 2. "No. 7" does behind a word (bus no. 7); else it is an answer."""

TIMES_OF_DAY: Final = r"[ap]\.?m\.?(?!\w)(?!\s+[A-ZÄÖÜ][a-zäöü])|[ap]\.m\.|uhr\b|o['’]clock\b|時(?!間)"

CURRENCIES: Final = "USD|EUR|GBP|CHF|JPY|CNY|RMB|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|RUB|BRL|MXN|ZAR|KRW|Rs|Fr|kr"

ENGLISH: Final = r"the|is|are|of|and|for|you|your|it|that|this|to|with|makes?"
COMMA_LANGUAGES: Final = (
    r"der|die|das|und|ist|sind|ein|eine|für|mit|von|ergibt|macht|kostet|el|los|las|una|es|son|para|con|del|cuesta|le|les|des|est|"
    r"sont|une|avec|pour|il|della|sono|per|não|são|het|een|zijn|[а-яё]{3,40}"
)
"""Small words by which a text in English, and one in a language with a decimal comma, is told."""
