"""Which language a text is in, or an honest "unknown".

The script decides where it can: kana means Japanese, hangul Korean, Han without kana Chinese, Thai letters Thai. Where
several languages share a script (Latin, Cyrillic, Arabic, Devanagari), py3langid decides among those of that script,
but for what is plainly English by the share of its commonest words ("the", "and", "that").
Code, links, addresses and control tokens are left out first, since they are in no language.

The model is loaded at the first text that needs it (about 0.7 s), and once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Final

from py3langid.langid import MODEL_FILE, LanguageIdentifier

UNKNOWN: Final = "unknown"
MIN_LETTERS: Final = 20
"""Fewer letters than this are in no known language. A Han, kana or hangul character counts as four letters."""

MIN_KANA_SHARE: Final = 0.05
"""Japanese has at least this share of kana among its kana and Han characters."""

READ: Final = 20_000
"""Only so many first characters of a text are read."""

_MIN_CONFIDENCE: Final = 0.6
_SURE: Final = 0.95
_PLAUSIBLE: Final = 0.05
_WIDE_WEIGHT: Final = 4

_NOT_PROSE: Final = re.compile(
    r"```[\s\S]*?(?:```|\Z)|~~~[\s\S]*?(?:~~~|\Z)|`[^`\n]{1,300}`"
    r"|\b(?:https?|ftp|file)://\S+|\bwww\.\S+|\S{1,64}@[\w.-]{1,255}|<\|[^|<>]{0,60}\|>|</?[A-Za-z][^<>]{0,200}>|&\w{2,8};"
)

_SCRIPTS: Final[dict[str, re.Pattern[str]]] = {
    "latin": re.compile(r"[A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]"),
    "han": re.compile(r"[\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
    "kana": re.compile(r"[\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f]"),
    "hangul": re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]"),
    "cyrillic": re.compile(r"[\u0400-\u052f]"),
    "arabic": re.compile(r"[\u0620-\u064a\u066e-\u06d3\u06d5\u06fa-\u06ff\u0750-\u077f\u08a0-\u08ff]"),
    "devanagari": re.compile(r"[\u0904-\u0963\u0971-\u097f]"),
    "greek": re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]"),
    "hebrew": re.compile(r"[\u05d0-\u05f2]"),
    "thai": re.compile(r"[\u0e01-\u0e4e]"),
    "armenian": re.compile(r"[\u0531-\u0587]"),
    "georgian": re.compile(r"[\u10a0-\u10ff\u1c90-\u1cbf]"),
    "bengali": re.compile(r"[\u0985-\u09e3]"),
    "gurmukhi": re.compile(r"[\u0a05-\u0a74]"),
    "gujarati": re.compile(r"[\u0a85-\u0ae3]"),
    "tamil": re.compile(r"[\u0b85-\u0bd7]"),
    "telugu": re.compile(r"[\u0c05-\u0c63]"),
    "kannada": re.compile(r"[\u0c85-\u0ce3]"),
    "malayalam": re.compile(r"[\u0d05-\u0d63]"),
    "sinhala": re.compile(r"[\u0d85-\u0df3]"),
    "lao": re.compile(r"[\u0e81-\u0ede]"),
    "burmese": re.compile(r"[\u1000-\u109f]"),
    "khmer": re.compile(r"[\u1780-\u17d3]"),
    "ethiopic": re.compile(r"[\u1200-\u137f]"),
}
_DECISIVE: Final = {
    "hangul": "ko",
    "greek": "el",
    "hebrew": "he",
    "thai": "th",
    "armenian": "hy",
    "georgian": "ka",
    "gurmukhi": "pa",
    "gujarati": "gu",
    "tamil": "ta",
    "telugu": "te",
    "kannada": "kn",
    "malayalam": "ml",
    "sinhala": "si",
    "lao": "lo",
    "burmese": "my",
    "khmer": "km",
    "ethiopic": "am",
    "bengali": "bn",
}
# The languages py3langid chooses from where the caller expects none in particular: rare ones only blur the choice.
_OF_SCRIPT: Final[dict[str, frozenset[str]]] = {
    "latin": frozenset(
        [
            *("af", "az", "ca", "cs", "cy", "da", "de", "en", "eo", "es", "et", "eu", "fi", "fr", "ga", "gl", "hr"),
            *("hu", "id", "is", "it", "la", "lt", "lv", "ms", "mt", "nl", "no", "pl", "pt", "ro", "sk", "sl", "so"),
            *("sq", "sv", "sw", "tl", "tr", "uz", "vi", "zu"),
        ]
    ),
    "cyrillic": frozenset(["be", "bg", "kk", "ky", "mk", "mn", "ru", "sr", "tg", "uk"]),
    "arabic": frozenset(["ar", "fa", "ps", "ug", "ur"]),
    "devanagari": frozenset(["hi", "mr", "ne"]),
}
# Letters that only one language of the script writes decide before the model is asked.
_TELLING: Final[dict[str, tuple[tuple[str, re.Pattern[str]], ...]]] = {
    "cyrillic": (
        ("kk", re.compile(r"[\u04d9\u0493\u049b\u04b1\u04bb]")),
        ("be", re.compile(r"[\u045e\u040e]")),
        ("uk", re.compile(r"[\u0456\u0457\u0454\u0491\u0406\u0407\u0404\u0490]")),
        ("ru", re.compile(r"[\u044b\u044d\u0451\u042b\u042d\u0401]")),
    ),
    "arabic": (
        ("ur", re.compile(r"[\u0679\u0688\u0691\u06ba\u06d2]")),
        ("fa", re.compile(r"[\u067e\u0686\u0698\u06af]")),
    ),
}


_ASCII_WORD: Final = re.compile(r"[a-z']+")
_ENGLISH_ALONE: Final = frozenset(
    ["the", "and", "that", "you", "with", "this", "your", "are", "they", "which", "would"]
)
_ENGLISH_TOO: Final = _ENGLISH_ALONE.union(
    ["of", "to", "is", "it", "for", "from", "what", "when", "not", "have", "can", "if", "there"]
)
_NOT_ENGLISH: Final = frozenset(
    [
        *(
            "der",
            "die",
            "und",
            "ist",
            "nicht",
            "ein",
            "das",
            "mit",
            "le",
            "les",
            "des",
            "est",
            "une",
            "dans",
            "pas",
            "el",
        ),
        *("los", "las", "que", "una", "por", "il", "che", "di", "non", "per", "uma", "os", "het", "een", "van", "deze"),
        *("maar", "og", "det", "och", "att", "nie", "je", "na", "nem", "bir", "ve", "yang", "dan"),
    ]
)
_ENGLISH_SHARE: Final = 0.15
_FOREIGN_SHARE: Final = 0.03
_DIFFERENT: Final = 3

_WIDE: Final = frozenset({"han", "kana", "hangul"})
_NO_LETTERS: Final = bytes(code for code in range(128) if not chr(code).isalpha())
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]+")

SCRIPTS: Final = tuple(_SCRIPTS)
"""The names of all scripts known here."""

LANGUAGES: Final = frozenset({"zh", "ja"}.union(_DECISIVE.values(), *_OF_SCRIPT.values()))
"""The codes that :func:`language` can give."""


def language(text: str, expected: Iterable[str] | None = None) -> str:
    """The ISO 639-1 code of the language a text is written in, or ``"unknown"``.

    Args:
        text: Any text; what is code, link or markup in it does not count.
        expected: Codes of the languages it may be in. They settle doubt (short texts, near relatives); a text that is
            plainly in none of them is still called what it is.

    Returns:
        A code of two letters; ``"unknown"`` with fewer than ``MIN_LETTERS`` letters and where no language is clearly
        ahead.
    """
    return _language(text[:READ], frozenset(expected) if expected is not None else frozenset())


def letters_by_script(text: str) -> dict[str, int]:
    """How many letters of each script a text has, in the order of ``SCRIPTS``; code, links and markup do not count.

    A Han, kana or hangul character counts as four letters. Only its first ``READ`` characters are read.
    """
    counts = _counts(without_code(text[:READ]))
    return {name: count * _WIDE_WEIGHT if name in _WIDE else count for name, count in counts.items()}


def scripts_of(code: str) -> frozenset[str]:
    """The scripts that a language of ``LANGUAGES`` is written in."""
    if code == "ja":
        return frozenset({"kana", "han"})
    if code == "zh":
        return frozenset({"han"})
    decisive = {script for script, language_of in _DECISIVE.items() if language_of == code}
    return frozenset(decisive | {script for script, codes in _OF_SCRIPT.items() if code in codes})


def without_code(text: str) -> str:
    """The text with code, links, addresses, control tokens and markup replaced by spaces, so that offsets stay."""
    return _NOT_PROSE.sub(lambda match: " " * len(match[0]), text)


@lru_cache(maxsize=256)  # signals, checks and the turns that follow ask it of the same texts
def _language(text: str, wanted: frozenset[str]) -> str:
    prose = without_code(text)
    counts = _counts(prose)
    weights = {name: n * _WIDE_WEIGHT if name in _WIDE else n for name, n in counts.items()}
    if sum(weights.values()) < MIN_LETTERS:
        return UNKNOWN
    east_asian = counts["han"] + counts["kana"]
    weights["han"] += weights.pop("kana")
    script = max(weights, key=lambda name: weights[name])
    if script == "han":
        return "ja" if counts["kana"] >= max(1, MIN_KANA_SHARE * east_asian) else "zh"
    if script in _DECISIVE:
        return _DECISIVE[script]
    if script == "latin" and _is_plainly_english(prose):
        return "en"
    return _told_by_letters(prose, script, wanted) or _told_by_model(_only(prose, script), script, wanted)


def _is_plainly_english(prose: str) -> bool:
    """Whether the commonest English words are so many that the model, which takes far longer, need not be asked."""
    words = _ASCII_WORD.findall(prose.lower())
    english = [word for word in words if word in _ENGLISH_TOO]
    if len(english) < _ENGLISH_SHARE * len(words) or len(_ENGLISH_ALONE.intersection(english)) < _DIFFERENT:
        return False
    return sum(word in _NOT_ENGLISH for word in words) <= _FOREIGN_SHARE * len(words)


def _counts(prose: str) -> dict[str, int]:
    """Letters of each script; those of ASCII are counted at once."""
    rest = "".join(_NOT_ASCII.findall(prose))
    counts = {name: len(pattern.findall(rest)) if rest else 0 for name, pattern in _SCRIPTS.items()}
    counts["latin"] += len(prose.encode("ascii", "ignore").translate(None, _NO_LETTERS))
    return counts


def _only(prose: str, script: str) -> str:
    """The words that hold a letter of the script, so that a few foreign ones do not sway the model."""
    return " ".join(word for word in prose.split() if _SCRIPTS[script].search(word))


def _told_by_letters(prose: str, script: str, wanted: frozenset[str]) -> str:
    for code, pattern in _TELLING.get(script, ()):
        if (not wanted or code in wanted) and pattern.search(prose):
            return code
    return ""


def _told_by_model(prose: str, script: str, wanted: frozenset[str]) -> str:
    ranked = _ranked(prose)
    plausible = frozenset(code for code in wanted if ranked.get(code, 0.0) >= _PLAUSIBLE)
    usual = _best(ranked, _OF_SCRIPT[script])
    sure = usual[1] >= _SURE and usual[0] not in wanted
    code, share = usual if sure or not plausible else _best(ranked, plausible)
    return code if share >= _MIN_CONFIDENCE else UNKNOWN


@lru_cache(maxsize=256)  # whatever is expected, the model says the same
def _ranked(prose: str) -> Mapping[str, float]:
    """What share the model gives to each language, the likeliest first."""
    return dict(_identifier().rank(prose))


def _best(ranked: Mapping[str, float], codes: frozenset[str]) -> tuple[str, float]:
    """The likeliest of some languages, and its share of what the model gives to them and to text in no language."""
    among = [(code, share) for code, share in ranked.items() if code in codes]
    total = sum(share for _, share in among) + ranked.get("zxx", 0.0)
    if not among or total <= 0:
        return UNKNOWN, 0.0
    return among[0][0], among[0][1] / total


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
