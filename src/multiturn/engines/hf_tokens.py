"""A model's tokenizer: text to ids and back, with control tokens kept apart from text that only spells them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import msgspec
from tokenizers import Tokenizer

from multiturn.engines.hf_watching import THINKING

ANCHOR: Final = "\U000f0000"  # of a private area: stands in no text
Pieces = Sequence[tuple[str, bool]]


class Token(msgspec.Struct, frozen=True):
    """An added token: its text, its id, whether it is special, and whether it takes blanks beside it."""

    text: str
    id: int
    special: bool
    strips: bool


class Tokens:
    """What is needed of a tokenizer of transformers.

    ``bos`` and ``eos`` are token texts, None where there is none. ``control`` are the ids of control tokens by their
    text: special tokens, and those other added tokens that the template writes. ``size`` is the largest id that a
    prompt can hold, plus one: padding counts only where it is something else, too.
    """

    def __init__(self, tokenizer: Any, template: str | None) -> None:  # noqa: ANN401 - transformers has no types
        self._tokenizer = tokenizer
        self._backend: Tokenizer | None = tokenizer.backend_tokenizer if tokenizer.is_fast else None
        if self._backend is not None:
            self._backend.no_truncation()
            self._backend.no_padding()
        added = [
            Token(one.content, number, one.special, one.lstrip or one.rstrip)
            for number, one in tokenizer.added_tokens_decoder.items()
        ]
        self.control: dict[str, int] = {
            token.text: token.id for token in added if token.special or token.text in (template or "")
        }
        self._special = {token.id: token.text for token in added if token.special}
        self._turns = {number for text, number in self.control.items() if not _marks_thinking(text)}
        self._anchor = next((token for token in added if token.special and not token.strips), None)
        self.bos: str | None = tokenizer.bos_token
        self.eos: str | None = tokenizer.eos_token
        self.bos_id: int | None = tokenizer.bos_token_id
        self.eos_id: int | None = tokenizer.eos_token_id
        self.pad: str | None = tokenizer.pad_token
        used = set(tokenizer.get_vocab().values())
        padding = tokenizer.pad_token_id
        if self.pad not in {self.bos, self.eos} and (self.pad or "") not in (template or ""):
            used.discard(padding)
        self.size: int = max(used, default=-1) + 1

    @cached_property
    def adds_bos(self) -> bool:
        """Whether the tokenizer itself puts a BOS in front of a text."""
        ids = self._tokenizer("a", add_special_tokens=True)["input_ids"]
        return self.bos_id is not None and ids[:1] == [self.bos_id]

    def id_of(self, text: str) -> int | None:
        """The id of a control token; None where the text is none."""
        return self.control.get(text)

    def text_of(self, number: int) -> str:
        """A token as text."""
        return str(self._tokenizer.convert_ids_to_tokens(number))

    def encode(self, pieces: Pieces, *, starts: bool, spelled: bool) -> list[int]:
        """The ids of a text in pieces ``(text, is_control)``.

        Args:
            pieces: the text.
            starts: it begins a prompt; else it goes on after other tokens, so that no space is put in front.
            spelled: some ordinary piece spells a control token; it becomes letters.
        """
        if not spelled:
            text = "".join(text for text, _ in pieces)
            return self._ids(text) if starts else self._ids_after(text)
        ids: list[int] = []
        for index, (text, control) in enumerate(pieces):
            ids += [self.control[text]] if control else self._letters(text, starts=starts and index == 0)
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of generated ids; a special token is its own text, since a model that writes one shows something."""
        if self._special.keys().isdisjoint(ids):
            return self.spoken(ids)
        parts: list[str] = []
        start = 0
        for at, number in enumerate(ids):
            if number in self._special:
                parts += [self.spoken(ids[start:at]), self._special[number]]
                start = at + 1
        return "".join([*parts, self.spoken(ids[start:])])

    def has_control(self, ids: Sequence[int]) -> bool:
        """Whether a control token is among them that does not mark thinking."""
        return not self._turns.isdisjoint(ids)

    def spoken(self, ids: Sequence[int]) -> str:
        """The text of ids without special tokens."""
        if self._backend is not None:
            spoken: str = self._backend.decode(list(ids), skip_special_tokens=True)
            return spoken
        text = self._tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return str(text)

    def _ids(self, text: str) -> list[int]:
        if self._backend is not None:
            return list(self._backend.encode(text, add_special_tokens=False).ids)
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def _ids_after(self, text: str) -> list[int]:
        """As the text is tokenised where something stands before it: behind a special token, which is then left out."""
        if self._anchor is None:
            return self._ids(text)
        ids = self._ids(self._anchor.text + text)
        return ids[1:] if ids[:1] == [self._anchor.id] else self._ids(text)

    def _letters(self, text: str, *, starts: bool) -> list[int]:
        """A text in which no control token is recognised."""
        if self._bare is None:
            split = self._tokenizer(text, add_special_tokens=False, split_special_tokens=True)
            return list(split["input_ids"])
        encoded = self._bare.encode(text if starts else ANCHOR + text, add_special_tokens=False)
        ids: list[int] = encoded.ids if starts else encoded.ids[1:]
        named = next((name for name, number in self.control.items() if number in ids and name in text), None)
        if named is None or len(named) < 2:  # noqa: PLR2004 - a token of one letter is a letter
            return ids
        before, _, after = text.partition(named)  # the vocabulary has the token as a word: cut it in two
        halves = (before + named[:1], named[1:] + after)
        return self._letters(halves[0], starts=starts) + self._letters(halves[1], starts=False)

    @cached_property
    def _bare(self) -> Tokenizer | None:
        """The tokenizer without its added tokens, but for an anchor that stands for whatever comes before."""
        if self._backend is None:
            return None
        source = json.loads(self._backend.to_str())
        anchor = {
            "id": max(self._tokenizer.get_vocab().values()) + 1,
            "content": ANCHOR,
            "special": True,
            "normalized": False,
        }
        flags = {"single_word": False, "lstrip": False, "rstrip": False}
        source |= {"added_tokens": [anchor | flags], "post_processor": None, "truncation": None, "padding": None}
        return Tokenizer.from_str(json.dumps(source))


def _marks_thinking(text: str) -> bool:
    return any(text in pair for pair in THINKING)
