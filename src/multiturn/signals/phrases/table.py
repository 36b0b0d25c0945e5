"""All languages in which a refusal is recognised, English first."""

from __future__ import annotations

from typing import Final

from multiturn.signals.phrases.asian import ARABIC, CHINESE, HINDI, JAPANESE, KOREAN, TURKISH, VIETNAMESE
from multiturn.signals.phrases.english import ENGLISH
from multiturn.signals.phrases.european import (
    DUTCH,
    FRENCH,
    GERMAN,
    ITALIAN,
    POLISH,
    PORTUGUESE,
    RUSSIAN,
    SPANISH,
    UKRAINIAN,
)
from multiturn.signals.phrases.shape import Phrases

ALL_PHRASES: Final[tuple[Phrases, ...]] = (
    ENGLISH,
    GERMAN,
    FRENCH,
    SPANISH,
    ITALIAN,
    PORTUGUESE,
    DUTCH,
    RUSSIAN,
    UKRAINIAN,
    POLISH,
    CHINESE,
    JAPANESE,
    KOREAN,
    TURKISH,
    ARABIC,
    HINDI,
    VIETNAMESE,
)
