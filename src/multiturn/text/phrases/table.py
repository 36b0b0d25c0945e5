"""All languages in which a refusal is recognised, English first."""

from __future__ import annotations

from typing import Final

from multiturn.text.phrases.asian import ARABIC, CHINESE, HINDI, JAPANESE, KOREAN, TURKISH, VIETNAMESE
from multiturn.text.phrases.english import ENGLISH
from multiturn.text.phrases.european import (
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
from multiturn.text.phrases.shape import Phrases

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
