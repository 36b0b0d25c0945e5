# ruff: noqa: E501, RUF001 - cues in several languages
"""Mutants: any engine, damaged in one known way, to see whether a suite's checks find the damage.

A mutant hears something else than was said (parts of the conversation are kept from the engine behind it), or says
something else than that engine replied. It knows the messages of its request and nothing of the suite: no capability, no
check, no golden. ``mutant:forgets:SPEC`` names one on the command line.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from multiturn.conversation import Message
from multiturn.errors import SpecError
from multiturn.facts import Facts, Unknown
from multiturn.protocols import Engine
from multiturn.text.language import UNKNOWN, language
from multiturn.text.measure import count_words, sentences
from multiturn.transcript import Prompt, Reply, Request, Session

PREFIX: Final = "mutant:"
LONG: Final = 400
"""Words of a reply of the mutant that always writes as much."""

ONE_IN: Final = 3
"""Of so many replies one is a refusal, by a hash of conversation and turn."""

SMALL_TALK: Final = "Thanks for telling me, that sounds good! Is there anything else that I can do for you today?"
REFUSAL: Final = "I'm sorry, but I can't help with that request."
IN_ENGLISH: Final = (
    "I will answer in English. That is a sensible thing to ask, and what you describe sounds fine to me; let me know "
    "which part you would like to hear more about."
)
_FILLER: Final = (
    "There is more to be said about this, and it is worth taking the time. Every such matter has its own history, and "
    "people look at it in different ways. Some prefer to begin with the larger picture, others with one small step. "
    "Either way it helps to stay calm, to look at what is there, and to go on from it. "
)
_CORRECTS: Final = re.compile(
    r"\b(?:my (?:own )?mistake|correction|i meant|scratch that|i (?:mixed|misread|misspoke|miscounted|got that wrong)|typo|"
    r"(?:looked|measured|counted|checked|read)\b.{0,30}\b(?:again|at last)|not \d|(?:, |is |was |it's )not \w+(?:$|[.,:;!]| as| what| that)|"
    r"(?:and|rather than|instead of) not \w+|other way round|double of what|too (?:high|low)|(?:more|less) than i (?:said|told|wrote)|"
    r"reduced|negative!|(?:it's|is|are) .{1,40} now\b|from last year|last year's|change of plan|swap|is closed tonight|has blown|"
    r"vertan|mein fehler|korrektur|ich meinte|nicht \w+,? sondern|\w+, nicht \w+[.!]|verwechselt|"
    r"mal lu|et pas \d|erreur|je me suis tromp\w+|me equivoqu\w+|de lo que te dije|quise decir|corrijo|"
    r"напута\w+|забыл\w*|ошиб\w+|точнее|перепута\w+|на самом деле)"
    r"|刚看了|说错|更正|改成|弄错|搞错|訂正|まちがえ|間違え|本当は",
    re.IGNORECASE,
)
_REVISES: Final = re.compile(
    r"\b(?:from now on|for this one|just this once|this time|only here|exception|no longer|stop (?:doing|using|writing|starting|ending)|drop (?:the|that)|"
    r"forget (?:the|that|about)|you may|you can (?:stop|now)|elaborate|in detail|new rule|ignore (?:the|that|all|your)|except|without the|lift|unless|"
    r"ab jetzt|ausnahm\w+|diesmal|nicht mehr|ausführlich|neue regel|désormais|exceptionnellement|cette fois|plus besoin|nouvelle règle|"
    r"a partir de ahora|esta vez|ya no|excepci[oó]n|теперь|в этот раз|исключени\w+|больше не|новое правило)\b|从现在|这次|例外|不用再|今回だけ|これから|もう",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(r"[?？]")
_REQUESTS: Final = re.compile(
    r"\b(?:please|write|give|send|tell|make|list|show|name|put|say|quote|repeat|turn|read|table|json|sentence|lines?|bitte|schreib|"
    r"nenn|sag|mach|écris|donne|dis|envoie|fais|escribe|dame|dime|hazme|pon|напиши|дай|скажи|сделай|пришли|назови)\b|写|列|给|用|一句|出して|書いて|教えて|まとめ",
    re.IGNORECASE,
)
_CHOICES: Final = re.compile(r"([^\W\d_][\w' -]{1,30}), ([^\W\d_][\w' -]{1,30}),? or ([^\W\d_][\w' -]{1,30})")
_MARKUP: Final = re.compile(
    r"^[ \t]*(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>)[ \t]+|^[ \t]*(?:```|~~~)[^\n]*$|[*_`|{}\[\]\"]{1,3}", re.MULTILINE
)
_DIVIDERS: Final = re.compile(r"^[\s:|-]{3,}$", re.MULTILINE)
_NUMBER: Final = re.compile(r"(?<![\w.,:])\d{1,6}(?![\w:]|[.,]\d)")
_YES_NO: Final = re.compile(r"\A\W*(yes|no|ja|nein|oui|non|sí|si|да|нет)\b", re.IGNORECASE)
_OPPOSITE: Final = {"yes": "No", "no": "Yes", "ja": "Nein", "nein": "Ja", "oui": "Non", "non": "Oui"} | {
    "sí": "No",
    "si": "No",
    "да": "Нет",
    "нет": "Да",
}


class Damage(msgspec.Struct, frozen=True):
    """One way of being broken: what is heard, what is said, and which ability should suffer, in words for a table."""

    breaks: str
    hears: Callable[[Request], tuple[Message, ...]]
    says: Callable[[Request, str], str]


def _all(request: Request) -> tuple[Message, ...]:
    return request.messages


def _same(_: Request, text: str) -> str:
    return text


def _own(request: Request) -> list[str]:
    """The model's earlier replies, oldest first."""
    return [message.content for message in request.messages if message.role == "assistant"]


def _users(request: Request) -> list[str]:
    return [message.content for message in request.messages if message.role == "user"]


def _system(request: Request) -> tuple[Message, ...]:
    return request.messages[:1] if request.messages[0].role == "system" else ()


def _last_turn(request: Request) -> tuple[Message, ...]:
    """The system prompt, the exchange before, and the message."""
    said = request.messages[len(_system(request)) :]
    return (*_system(request), *said[-3:])


def _uncorrected(request: Request) -> tuple[Message, ...]:
    """Without the messages that correct something; one that does now is answered like the message before it."""
    said = request.messages[len(_system(request)) :]
    if len(said) > 1 and _CORRECTS.search(said[-1].content):
        said = said[:-2]
    kept: list[Message] = []
    for index in range(0, len(said) - 1, 2):
        if index == 0 or not _CORRECTS.search(said[index].content):
            kept += said[index : index + 2]
    return (*_system(request), *kept, said[-1])


def _first_rule(request: Request) -> tuple[Message, ...]:
    """A message that changes a rule is answered like the first message."""
    said = request.messages[len(_system(request)) :]
    return (*_system(request), said[0]) if len(said) > 1 and _REVISES.search(said[-1].content) else request.messages


def _first_form(request: Request, text: str) -> str:
    """In the form of the first reply: running text, or a list where that was one."""
    own = _own(request)
    if not own:
        return text
    plain = " ".join(_MARKUP.sub("", _DIVIDERS.sub("", text)).split())
    if re.search(r"^[ \t]*[-*+•][ \t]+", own[0], re.MULTILINE):
        return "\n".join(f"- {sentence}" for sentence in sentences(plain)) or plain
    return plain


def _long(_: Request, text: str) -> str:
    filler = _FILLER.split()
    missing = LONG - count_words(text)
    return f"{text}\n\n{' '.join((filler * (LONG // len(filler) + 1))[:missing])}" if missing > 0 else text


def _refusing(request: Request, text: str) -> str:
    digest = hashlib.sha256(f"{request.session.conversation}\x1f{request.turn}".encode()).digest()
    return REFUSAL if digest[0] % ONE_IN == 0 else text


def _off_task(request: Request, text: str) -> str:
    """A message that only tells something is a detour: the task is dropped there for small talk."""
    told = _users(request)
    if len(told) == 1 or _ASKS.search(told[-1]) or _REQUESTS.search(told[-1]):
        return text
    return SMALL_TALK


def _again(request: Request, text: str) -> str:
    own = _own(request)
    return own[-1] if own else text


def _english(request: Request, text: str) -> str:
    spoken = language("\n".join(_users(request)))
    return text if spoken in ("en", UNKNOWN) else IN_ENGLISH


def _contradicting(request: Request, text: str) -> str:
    """Takes back what it said itself: another of the choices, another number, no for yes."""
    own, said = "\n".join(_own(request)), "\n".join(_users(request))
    if not own:
        return text
    for match in _CHOICES.finditer(said):
        choices = [choice.strip() for choice in match.groups()]
        for choice, other in zip(choices, choices[1:] + choices[:1], strict=True):
            if choice.casefold() in own.casefold() and choice.casefold() in text.casefold():
                return re.sub(re.escape(choice), other, text, flags=re.IGNORECASE)
    mine = set(_NUMBER.findall(own)) - set(_NUMBER.findall(said))
    changed = _NUMBER.sub(lambda found: str(int(found[0]) + 3) if found[0] in mine else found[0], text)
    answer = _YES_NO.match(changed)
    if answer and any(_YES_NO.match(reply) for reply in _own(request)):
        return changed[: answer.start(1)] + _OPPOSITE[answer[1].lower()] + changed[answer.end(1) :]
    return changed


MUTANTS: Final[Mapping[str, Damage]] = {
    "forgets": Damage("context_retention", _last_turn, _same),
    "ignores_corrections": Damage("correction", _uncorrected, _same),
    "keeps_its_form": Damage("format_switching", _all, _first_form),
    "first_instruction": Damage("instruction_hierarchy", _first_rule, _same),
    "long_winded": Damage("task_persistence", _all, _long),
    "refuses": Damage("all alike", _all, _refusing),
    "repeats_itself": Damage("format_switching", _all, _again),
    "english_only": Damage("other languages", _all, _english),
    "contradicts_itself": Damage("self_consistency", _all, _contradicting),
    "drops_the_task": Damage("task_persistence", _all, _off_task),
}
"""By name: forgets all but the last turn; ignores corrections; never changes its form; obeys the first instruction for
ever; always writes 400 words; refuses one in three; repeats its last reply; answers in English only; contradicts its
earlier claims; drops the task for small talk where the user only tells something."""


class Mutant:
    """An engine that is broken in one way."""

    def __init__(self, inner: Engine, name: str) -> None:
        self._inner: Final = inner
        self._damage: Final = MUTANTS[name]
        self.spec: Final = f"{PREFIX}{name}:{inner.spec}"
        adapter = f"{name} {inner.facts.identity.get('adapter', '')}".strip()
        identity = {**inner.facts.identity, "adapter": f"mutant {adapter}"}
        self._facts: Final = msgspec.structs.replace(inner.facts, identity=identity)

    @property
    def facts(self) -> Facts:
        """Those of the engine behind it; that it is a mutant is part of its identity."""
        return self._facts

    async def prompt(self, request: Request) -> Prompt | Unknown:
        """What the engine behind it is sent."""
        return await self._inner.prompt(self._heard(request))

    async def reply(self, request: Request) -> Reply:
        """The damaged reply; what the engine behind it raises is raised.

        Where it heard other messages than were sent, the prompt's tokens are not told: they are those of another prompt.
        """
        heard = self._heard(request)
        reply = await self._inner.reply(heard)
        if heard.messages != request.messages:
            reply = msgspec.structs.replace(reply, prompt_tokens=None, cached_tokens=None)
        text = self._damage.says(request, reply.text)
        return (
            reply
            if text == reply.text
            else msgspec.structs.replace(reply, text=text, token_ids=None, logprobs=None, pieces=None)
        )

    async def end(self, session: Session) -> None:
        """The conversation is over."""
        await self._inner.end(session)

    async def close(self) -> None:
        """Close the engine behind it."""
        await self._inner.close()

    def _heard(self, request: Request) -> Request:
        return msgspec.structs.replace(request, messages=self._damage.hears(request))


def mutant(engine: Engine, name: str) -> Mutant:
    """The engine, damaged in the way of that name.

    Raises:
        SpecError: there is no such way.
    """
    if name not in MUTANTS:
        raise SpecError(f"there is no mutant {name!r}", hint=f"one of {', '.join(MUTANTS)}")
    return Mutant(engine, name)
