"""One conversation side by side: what a reader finds of each turn and of each arm's reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests import by_hand
from tests.report.page.hostile import TEXTS, harmless
from tests.report.page.tree import tree_of

from multiturn.conversation import Conversation, Turn
from multiturn.finding import FAILS_AS_REFUSAL, Assessed, Checked, CheckResult, Outcome, Signal, Span
from multiturn.report.page.sheet import sheet
from multiturn.report.page.shown import ShownArm, Told
from multiturn.signals.measure import measure
from multiturn.text.printable import printable
from multiturn.transcript import Failure, Session, Timing, Transcript, TurnRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.report.page.tree import Node

ARMS = tuple(
    ShownArm(name=name, label=f"scripted:{name}", run=f"run-{name}") for name in ("base", "tuned", "arm 3", "arm 4")
)
GREEN = "The kettle on the old stove is green, and it whistles."
BLUE = "The kettle on the old stove is blue, and it whistles."


def conversation(*turns: Turn, **fields: Any) -> Conversation:  # noqa: ANN401 - as Conversation takes them
    return Conversation(id="kettle", turns=turns or (Turn(text="Which colour?"),), **fields)


def held(
    *turns: str | TurnRecord, said: tuple[Checked, ...] = (), system: str | None = None, sample: int = 0
) -> Assessed:
    """One session with its real signals; a turn that is given as a text is a reply that went well."""
    records = tuple(by_hand.ok(at, one) if isinstance(one, str) else one for at, one in enumerate(turns))
    transcript = Transcript(session=Session("kettle", sample), turns=records, system=system)
    return Assessed(transcript, measure(transcript), said)


def shown(*arms: Assessed | None, of: Conversation | None = None) -> Node:
    """The sheet of one sample."""
    return shown_samples(arms, of=of)


def shown_samples(*samples: tuple[Assessed | None, ...], of: Conversation | None = None) -> Node:
    told = Told(conversation=of or conversation(), samples=samples)
    return tree_of(sheet(told, ARMS[: len(samples[0])])).one("article.sheet")


def replies(node: Node) -> list[Node]:
    return node.all("div.reply")


def marked(reply: Node, sort: str) -> list[str]:
    """The words that are marked as this."""
    return [one.text for one in reply.one("div.reply-text").all(f"mark.{sort}")]


def checked(
    outcome: Outcome, check: int = 0, *, turn: int = 0, span: tuple[int, int] | None = None, **told: str
) -> Checked:
    """``told`` are ``wants``, ``why`` and ``reason``."""
    result = CheckResult(
        outcome=outcome, reason=told.pop("reason", ""), span=None if span is None else Span(*span, text="")
    )
    return Checked(turn=turn, check=check, kind="says", wants=told.pop("wants", "says green"), result=result, **told)


def on_demand(node: Node) -> dict[str, Node]:
    """What is folded, by its heading."""
    return {one.one("summary").text: one for one in node.all("details")}


def lines(reply: Node) -> list[str]:
    """What the checks below a reply say."""
    return [one.words for one in reply.all("ul.checks") for one in one.all("li")]


def test_it_begins_with_what_the_conversation_is_for() -> None:
    """Its id as the heading, why it is there, and under what it is found, in words."""
    node = shown(
        held("Green."),
        of=conversation(
            why="Kettles must not change.",
            capability="context_retention",
            category="writing",
            domain="tea",
            pattern="recall",
        ),
    )
    assert node.one("h2").text == "kettle"
    assert [one.text for one in node.all("p.why")] == ["Kettles must not change."]
    assert node.one("p.tags").words == "capability context retention category writing domain tea pattern recall"
    assert shown(held("Green.")).all("p.tags") == []


def test_each_turn_says_what_it_probes_and_can_be_found() -> None:
    """By turn and sample, both from 1."""
    turns = (
        Turn(text="Hello"),
        Turn(text="Well?", capability="correction", distance=1, why="A word back.", refusal_expected=True),
        Turn(text="And?", distance=2, refusal_expected=False),
    )
    node = shown(held("a", "b", "c"), of=conversation(*turns))
    found = node.all("section.turn")
    assert [(one.attributes["data-sample"], one.attributes["data-turn"]) for one in found] == [
        ("1", "1"),
        ("1", "2"),
        ("1", "3"),
    ]
    assert [one.one("h3").words for one in found] == [
        "Turn 1",
        "Turn 2 probes correction, looks 1 turn back, a refusal is right here",
        "Turn 3 looks 2 turns back, a refusal is wrong here",
    ]
    assert [one.one("div.user-text").text for one in found] == ["Hello", "Well?", "And?"]
    assert found[1].one("p.why").text == "A word back."


def test_texts_stand_letter_for_letter() -> None:
    """With their spaces, tabs and line breaks, which the style keeps."""
    text = "\n  One\n\n\ttwo   three \n"
    node = shown(held(text, "b"), held("\nb", text), of=conversation(Turn(text=text, golden=text), Turn(text="u")))
    first, second = replies(node.all("section.turn")[0])
    assert node.all("div.user-text")[0].text == text
    assert (first.one("div.reply-text").text, second.one("div.reply-text").text) == (text, "\nb")
    assert on_demand(node)["Golden reply"].one("div.text").text == text


def test_every_reply_is_named_by_its_arm_and_model() -> None:
    """In each turn anew, since they may stand one below the other."""
    node = shown(held("a", "b"), held("c", "d"), of=conversation(Turn(text="t"), Turn(text="u")))
    assert [one.one("p.who").words for one in replies(node)] == ["base scripted:base", "tuned scripted:tuned"] * 2
    assert [one.classes for one in replies(node)] == [["reply", "arm-0"], ["reply", "arm-1"]] * 2


@pytest.mark.parametrize(("arms", "layout"), [(1, "one"), (2, "two"), (3, "many"), (4, "many")])
def test_as_many_columns_as_arms(arms: int, layout: str) -> None:
    """More than two scroll in a box of their own, which the keyboard reaches and which has a name."""
    box = shown(*[held("Green.")] * arms).one("div.replies")
    assert box.classes == ["replies", layout]
    assert len(replies(box)) == arms
    assert ("tabindex" in box.attributes) == ("aria-label" in box.attributes) == (arms > 2)


def test_words_that_differ_are_marked_in_both() -> None:
    """Against the first arm, and what that means is said once."""
    node = shown(held(GREEN), held(BLUE))
    assert [marked(one, "differs") for one in replies(node)] == [["green"], ["blue"]]
    assert "Underlined words differ between base and tuned." in node.one("p.legend").words


def test_of_several_arms_each_is_compared_with_the_first() -> None:
    """In the first one what any other has otherwise is marked."""
    node = shown(held(GREEN), held(BLUE), held(GREEN.replace("old", "new")), held(GREEN))
    assert [marked(one, "differs") for one in replies(node)] == [["old", "green"], ["blue"], ["new"], []]
    assert "from base, and in base from another arm" in node.one("p.legend").words


@pytest.mark.parametrize(
    ("other", "likeness"),
    [
        (GREEN, "the same as base, letter for letter"),
        (GREEN.replace(" on ", "\non  "), "the same words as base, other spaces or line breaks"),
        ("I'm sorry, but I can't help with that.", "hardly a word in common with base, so none is underlined"),
    ],
)
def test_where_no_word_is_marked_a_reader_is_told_why(other: str, likeness: str) -> None:
    node = shown(held(GREEN), held(other))
    first, second = replies(node)
    assert marked(first, "differs") == marked(second, "differs") == []
    assert likeness in second.text
    assert likeness not in first.text


@pytest.mark.parametrize("other", [by_hand.ok(0, ""), by_hand.ok(0, " \n"), by_hand.failed(0), None])
def test_beside_nothing_nothing_differs(other: TurnRecord | None) -> None:
    node = shown(held(GREEN), None if other is None else held(other))
    assert marked(replies(node)[0], "differs") == []
    assert "in common" not in node.text
    assert len(node.all("div.reply-text")) == 1


def test_what_decided_a_check_is_marked_with_its_number() -> None:
    """The number stands in the check's line too; what the outcome is, in a sign and in words."""
    said = (
        checked("pass", 0, span=(4, 10), wants="says kettle"),
        checked("fail", 1, span=(18, 21), wants="does not say old", reason="says 'old'"),
        checked("not_applicable", 2, wants="repeats 4 words", reason="there is nothing before"),
    )
    (reply,) = replies(shown(held(GREEN, said=said)))
    assert (marked(reply, "pass"), marked(reply, "fail")) == (["kettle"], ["old"])
    assert [one.attributes["data-n"] for one in reply.all("mark")] == ["1", "2"]
    assert lines(reply) == [
        "✓ check 1 passes says kettle",
        "✗ check 2 fails does not say old (says 'old')",
        "~ check 3 does not apply repeats 4 words (there is nothing before)",
    ]


def test_a_check_that_fails_is_told_by_what_that_means() -> None:
    """Where the suite says so; what is wanted is added where the reason does not tell it.

    Of a refusal it is not said: what it means to fail did not happen.
    """
    why = "The colour is lost."
    said = (
        checked("fail", 0, wants="says 'green'", why=why, reason="says none of 'green'"),
        checked("fail", 1, wants="says 'green'", why=why, reason=FAILS_AS_REFUSAL),
        checked("fail", 2, wants="says 'green'", why=why),
        checked("pass", 3, wants="says 'green'", why=why),
    )
    (reply,) = replies(shown(held(BLUE, said=said)))
    assert lines(reply) == [
        f"✗ check 1 fails {why} (says none of 'green')",
        f"✗ check 2 fails {FAILS_AS_REFUSAL} (the check's note: {why})",
        f"✗ check 3 fails {why} (wanted: says 'green')",
        "✓ check 4 passes says 'green'",
    ]


def test_a_pattern_is_told_by_what_it_is_for() -> None:
    """Few can read one: a check that passes says what failing would mean, one that fails does not repeat it."""
    why = "No colour is named."
    said = (
        checked("pass", 0, wants=r"matches '(?i)\bgreen\b'", why=why),
        checked("fail", 1, wants=r"matches '(?i)\bgreen\b'", why=why, reason=FAILS_AS_REFUSAL),
        checked("pass", 2, wants=r"matches '(?i)\bgreen\b'"),
    )
    (reply,) = replies(shown(held(GREEN, said=said)))
    assert lines(reply) == [
        rf"✓ check 1 passes matches '(?i)\bgreen\b' (failing would mean: {why})",
        f"✗ check 2 fails {FAILS_AS_REFUSAL} (the check's note: {why})",
        r"✓ check 3 passes matches '(?i)\bgreen\b'",
    ]


def test_a_check_that_flipped_says_which_way() -> None:
    """Against the first arm, check by check; one that does not apply has not flipped."""
    base = [checked(outcome, at) for at, outcome in enumerate[Outcome](("pass", "fail", "pass", "not_applicable"))]
    tuned = [checked(outcome, at) for at, outcome in enumerate[Outcome](("fail", "pass", "pass", "fail"))]
    first, second = replies(shown(held(GREEN, said=tuple(base)), held(BLUE, said=tuple(tuned))))
    assert first.all(".flip") == []
    assert [[flip.text for flip in line.all("strong.flip")] for line in second.all("li")] == [
        ["lost: base passes it"],
        ["won: base fails it"],
        [],
        [],
    ]


def test_marks_of_three_sorts_lie_over_each_other() -> None:
    """A word that differs, refuses and decides a check is marked as all of them; the reply stays whole."""
    base = "I am sorry, but we can help with that kettle on the stove."
    tuned = "I am sorry, but I can't help with that kettle on the stove."
    said = (checked("fail", span=(16, 28)), checked("pass", 1, span=(24, 38)))
    node = shown(held(base), held(tuned, said=said))
    (_, reply) = replies(node)
    text = reply.one("div.reply-text")
    assert text.text == tuned
    pieces = [(one.text, one.attributes["class"], one.attributes.get("data-n", "")) for one in text.all("mark")]
    refusal = next(one for one in measure(held(tuned).transcript) if one.name == "refusal")
    assert refusal.span is not None
    for start, end, sort in ((16, 23, "differs"), (16, 28, "fail"), (24, 38, "pass"), (*bounds(refusal), "refusal")):
        assert "".join(one for one, sorts, _ in pieces if sort in sorts.split()) == tuned[start:end], sort
    assert sorted(" ".join(signs for *_, signs in pieces).split()) == ["1", "2", "R"]


def bounds(signal: Signal) -> tuple[int, int]:
    assert signal.span is not None
    return signal.span.start, signal.span.end


def test_a_refusal_is_named_and_its_words_are_marked() -> None:
    """The sign at both is the same."""
    turns = (Turn(text="t", refusal_expected=False), Turn(text="t", refusal_expected=True))
    declines = "I'm sorry, but I can't help with that."
    node = shown(held(declines, "Gladly."), of=conversation(*turns))
    first, second = replies(node)
    assert first.one("ul.states").words == "R full refusal, unexpected"
    assert [one.attributes["data-n"] for one in first.all("mark.refusal")] == ["R"]
    assert second.one("ul.states").words == "no refusal, though one is right"


def test_status_and_flags_are_told_in_words() -> None:
    record = TurnRecord(turn=0, user="u", status="length", reply="One two", flags=("run_on", "reencoded"))
    (reply,) = replies(shown(held(record)))
    assert [one.text for one in reply.one("ul.states").all("li")] == [
        "cut off at the token limit",
        "went on as the user, which was cut",
        "history tokenised again",
    ]


@pytest.mark.parametrize(
    ("arm", "words"),
    [
        (held(by_hand.ok(0, "")), "(empty reply)"),
        (held(by_hand.ok(0, " \n\u200b")), "(empty reply: nothing that a reader sees)"),
        (held(by_hand.failed(0)), "No reply: timeout. Missing, by no doing of the model. no reply"),
        (held(by_hand.overflowed(0)), "No reply: the model's own replies have filled the context window. too long"),
        (held(by_hand.unreached(0)), "Not reached: an earlier turn is missing. Missing, by no doing of the model."),
        (held(), "Not held by this arm."),
        (None, "Not held by this arm."),
    ],
)
def test_where_there_is_no_reply_a_reader_is_told_why(arm: Assessed | None, words: str) -> None:
    """Never an empty box."""
    reply = replies(shown(held(GREEN), arm))[1]
    assert reply.one("p.absent").words == words
    assert reply.all("div.reply-text") == []


def test_control_codes_alone_are_an_empty_reply_that_is_shown() -> None:
    """A reader would see nothing of it in a chat; here they see what it was."""
    reply = replies(shown(held(GREEN), held(by_hand.ok(0, "\x00\x1b"))))[1]
    assert reply.one("p.absent").words == "(empty reply: nothing but control codes)"
    assert reply.one("div.reply-text").text == "␀␛"


def test_how_long_a_reply_is_stands_by_it_and_all_else_on_demand() -> None:
    """Numbers as everywhere; what is not raised and what can't be measured, in words."""
    (reply,) = replies(shown(held("The cat sat here, and the cat sat here. The cat sat here.")))
    details = reply.all("details")[0]
    assert details.one("summary").text == "13 words, 20.0% repeated"
    others = details.one("p").text
    assert others.startswith("57 characters; 2 sentences; not raised: refusal, empty, cut off, collapse")
    assert "sameness (the model has not replied before in this conversation)" in others.partition("not measured: ")[2]
    (short,) = replies(shown(held("Green")))
    assert short.one("summary").text == "1 word"
    (long,) = replies(shown(held("The cat sat here on the mat.")))
    assert on_demand(long).keys() == {"7 words"}
    assert "repetition 0.0%" in long.text
    assert "1 sentence;" in short.one("details").text


def test_a_turn_without_a_reply_has_no_numbers() -> None:
    assert replies(shown(held(by_hand.failed(0))))[0].all("details") == []


def test_what_the_model_wrote_and_thought_is_there_on_demand() -> None:
    """Where it is not the reply itself."""
    told = TurnRecord(turn=0, user="u", status="ok", reply="Green.", raw="Green. User: And?", reasoning="\nHm, green.")
    (reply,) = replies(shown(held(told)))
    texts = on_demand(reply)
    assert texts["As the model wrote it"].one("div.text").text == "Green. User: And?"
    assert texts["Reasoning"].one("div.text").text == "\nHm, green."
    same = msgspec.structs.replace(told, raw="Green.", reasoning="")
    assert on_demand(shown(held(same))).keys() == {"1 word"}


def sent(turn: int, kept: int, adds: str) -> TurnRecord:
    return msgspec.structs.replace(by_hand.ok(turn), prompt_kept=kept, prompt_delta=adds)


def test_prompts_are_there_as_what_they_add() -> None:
    """With all that it takes to put them together: each first so many characters, as shown, of the one before."""
    adds = "<s>\u202eUser: a\r\n", "Model: b\nUser: c\n", "\x07User: d"
    wholes = adds[0], adds[0][:11] + adds[1], (adds[0][:11] + adds[1])[:19] + adds[2]
    records = [sent(at, kept, text) for at, (kept, text) in enumerate(zip((0, 11, 19), adds, strict=True))]
    node = shown(held(*records), of=conversation(*[Turn(text="t")] * 3))
    found = node.all("pre.prompt")
    assert [{key: one.attributes[key] for key in ("data-arm", "data-sample", "data-turn")} for one in found] == [
        {"data-arm": "0", "data-sample": "1", "data-turn": turn} for turn in "123"
    ]
    put_together = ""
    for one, whole in zip(found, wholes, strict=True):
        put_together = put_together[: int(one.attributes["data-kept"])] + one.text
        assert put_together == printable(whole)
    told = [
        f"first {one.attributes['data-kept']} characters" in turn.text
        for one, turn in zip(found, node.all("section.turn"), strict=True)
    ]
    assert told == [False, True, True]


def test_a_prompt_that_begins_with_a_line_break_keeps_it() -> None:
    """HTML drops the first one after the tag."""
    told = Told(conversation=conversation(), samples=((held(sent(0, 0, "\nUser: a")),),))
    assert 'data-kept="0">\n\nUser: a</pre>' in sheet(told, ARMS[:1])


def test_how_a_reply_was_drawn_stands_by_the_prompt() -> None:
    timing = Timing(total=1.26, prompt=0.25, generate=1.01)
    record = msgspec.structs.replace(
        sent(0, 0, "User: a"),
        prompt_tokens=231,
        cached_tokens=200,
        new_tokens=33,
        seed=7,
        finish="stop",
        timing=timing,
        served_model="kettle-1",
    )
    (reply,) = replies(shown(held(record)))
    assert reply.all("details")[-1].one("p").text == (
        "231 tokens in the prompt, 200 of them from the cache; 33 tokens written; finish stop; seed 7; "
        "1.3 seconds (0.2 reading, 1.0 writing); served by kettle-1"
    )
    assert replies(shown(held("Green.")))[0].words.count("prompt") == 0


def systems(node: Node) -> list[str]:
    return [one.words for one in node.all("div.system")]


def test_a_system_prompt_that_all_arms_had_stands_once() -> None:
    """One that only some had, with the arms that had it."""
    assert systems(shown(held("a", system="Be brief."), held("b", system="Be brief."))) == ["system prompt Be brief."]
    assert systems(shown(held("a"), held("b"))) == []
    assert systems(shown(held("a", system="Be brief."), None)) == ["system prompt Be brief."]
    assert systems(shown(held("a", system="Be brief."), held("b"))) == [
        "system prompt of base Be brief.",
        "system prompt of tuned none",
    ]
    several = shown(held("a", system="x"), held("b", system="y"), held("c", system="x"), held("d", system="x"))
    assert systems(several) == ["system prompt of base, arm 3 and arm 4 x", "system prompt of tuned y"]


def test_several_samples_have_a_heading_each() -> None:
    """Their turns are a level below."""
    node = shown_samples((held("a"), held("b")), (held("c", sample=1), None))
    assert [one.text for one in node.all("h3")] == ["Sample 1 of 2", "Sample 2 of 2"]
    assert [one.text for one in node.all("h4")] == ["Turn 1", "Turn 1"]
    assert [one.attributes["data-sample"] for one in node.all("section.turn")] == ["1", "2"]
    assert shown(held("a"), held("b")).all("h4") == []


HOSTILE = (
    "script",
    "double quotes",
    "single quotes",
    "table out of its table",
    "entities",
    "jinja",
    "style of its own",
)


def told_with(text: str, arms: Sequence[ShownArm]) -> Told:
    """A conversation whose every field is this text."""
    anything: Any = text
    said = tuple(
        checked(outcome, at, span=(2, 6 + len(text) - at), wants=text, why=text, reason=text)
        for at, outcome in enumerate[Outcome](("pass", "fail", "not_applicable"))
    )
    record = TurnRecord(
        turn=0,
        user=text,
        status="ok",
        reply=f"Well: {text}",
        raw=text,
        reasoning=text,
        flags=(anything,),
        prompt_delta=text,
        served_model=text,
    )
    failed = by_hand.failed(1)
    failed = msgspec.structs.replace(failed, failure=Failure(anything, text))
    one = held(record, failed, said=said, system=text)
    odd = Signal(name=text, turn=0, value=1, unit="flag", label=text, reason=text)
    turn = Turn(text=text, why=text, golden=text, capability=anything)
    of = Conversation(
        id=text, turns=(turn, turn), why=text, category=anything, domain=text, pattern=anything, capability=anything
    )
    other = msgspec.structs.replace(one.transcript, system=None)
    both = (Assessed(one.transcript, (*one.signals, odd), said), Assessed(other, (), said))
    return Told(conversation=of, samples=(both[: len(arms)],))


@pytest.mark.parametrize("arms", [1, 2])
@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_a_text_holds_is_text(name: str, arms: int) -> None:
    """Letter for letter, in every field; of the same elements and attributes as a harmless twin."""
    columns = [msgspec.structs.replace(arm, name=TEXTS[name], label=TEXTS[name]) for arm in ARMS[:arms]]
    twins = [msgspec.structs.replace(arm, name=harmless(TEXTS[name]), label="x") for arm in ARMS[:arms]]
    node = tree_of(sheet(told_with(TEXTS[name], columns), columns))
    twin = tree_of(sheet(told_with(harmless(TEXTS[name]), twins), twins))
    assert [(one.tag, sorted(one.attributes)) for one in node.walk()] == [
        (one.tag, sorted(one.attributes)) for one in twin.walk()
    ]
    assert not [key for one in node.walk() for key in one.attributes if key.startswith("on") or key == "style"]
    shown_text = printable(TEXTS[name])
    places = {
        "h2": shown_text,
        "div.user-text": shown_text,
        "div.reply-text": f"Well: {shown_text}",
        "pre.prompt": shown_text,
        "q": shown_text,
    }
    for selector, text in places.items():
        assert all(one.text == text for one in node.all(selector)), selector
        assert node.all(selector), selector
    for details in node.all("details"):
        if details.one("summary").text in {"Reasoning", "As the model wrote it", "Golden reply"}:
            assert details.one("div.text").text == shown_text
    for line in node.all("ul.checks")[0].all("li"):
        assert " ".join(shown_text.split()) in line.words
