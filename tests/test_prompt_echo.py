"""Replies that begin with their own prompt: the prompt is found exactly, and nothing else is taken for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.prompt_echo import Exchange, before_label, control_texts, echoes, still_holding, to_cut, without_end

Render = Callable[[str], str]

USERS = ("What is the capital of France?", "Continue.", "Continue.")
WORDS = ("Paris.", "It lies on the Seine. You said: Continue.", "User: is a label. Assistant: too.")
FORMS: dict[str, Render] = {
    "bare": lambda user: f"{user}\n",
    "plain": lambda user: f"User: {user}\nAssistant:",
    "bold": lambda user: f"**Human:** {user}\n**AI:**",
    "question": lambda user: f"Question: {user}\nAnswer:",
    "alpaca": lambda user: f"### Instruction:\n{user}\n\n### Response:\n",
    "chatml": lambda user: f"<|im_start|>user\n{user}<|im_end|>\n<|im_start|>assistant\n",
    "chatml without its tokens": lambda user: f"user\n{user}\nassistant\n",
    "zephyr": lambda user: f"<|user|>\n{user}</s>\n<|assistant|>\n",
    "llama 2": lambda user: f"<s>[INST] {user} [/INST]",
    "llama 3": lambda user: (
        f"<|start_header_id|>user<|end_header_id|>\n\n{user}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
    ),
    "gemma": lambda user: f"<start_of_turn>user\n{user}<end_of_turn>\n<start_of_turn>model\n",
    "wide bars": lambda user: f"<｜User｜>{user}<｜Assistant｜>",
}


def looped(users: Sequence[str], words: Sequence[str], form: Render, system: str = "") -> list[Exchange]:
    """What the usual loop writes: prompt and reply as one text, which is then sent on as history."""
    history, held = "", []
    for user, said in zip(users, words, strict=True):
        text = f"{system}{history}{form(user)} {said}"
        held.append(Exchange(user, text.strip()))
        history += f"{form(user)} {text}\n"
    return held


def left(conversations: list[list[Exchange]], systems: Sequence[str] = ()) -> list[list[str]]:
    """What remains of each reply."""
    found = echoes(conversations, systems)
    return [
        [
            (exchange.reply or "")[echo.end if echo and cut else 0 :].strip()
            for exchange, echo in zip(exchanges, row, strict=True)
        ]
        for exchanges, row, cut in zip(conversations, found, to_cut(conversations, found), strict=True)
    ]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_a_prompt_that_doubles_from_turn_to_turn_is_cut_exactly(form: Render) -> None:
    """Whatever the template put around it; a user's text that is said twice, or quoted in a reply, does no harm."""
    assert left([looped(USERS, WORDS, form)]) == [list(WORDS)]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_a_history_without_doubling_is_cut_too(form: Render) -> None:
    """A script that sends on only the new words, and still writes down all that was decoded."""
    held, history = [], ""
    for user, said in zip(USERS, WORDS, strict=True):
        history += form(user)
        held.append(Exchange(user, f"{history} {said}"))
        history += f" {said}\n"
    assert left([held]) == [list(WORDS)]


@pytest.mark.parametrize("skip", [True, False])
def test_what_a_real_tokenizer_decodes_is_cut_exactly(smollm2: Path, skip: bool) -> None:  # noqa: FBT001 - a parameter
    """A chat template, tokens and back again, with control tokens left in the text or only the role words."""
    tokenizer: Any = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(smollm2)
    chat: list[dict[str, str]] = []
    held = []
    for user, said in zip(
        ("Where's  Oslo ?", "Continue…", "Continue…"),
        ("In Norway.", "North , by the sea.\n\n- cold", "漢字 too."),
        strict=True,
    ):
        chat.append({"role": "user", "content": user})
        prompt = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        text = tokenizer.decode(tokenizer(prompt + said)["input_ids"], skip_special_tokens=skip)
        chat.append({"role": "assistant", "content": text})
        held.append(Exchange(user, text))
    assert left([held]) == [["In Norway.", "North , by the sea.\n\n- cold", "漢字 too."]]


LLAMA3 = "system\n\nCutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"
ASKED = (("Tell me more", "And then?", "Go on"), ("What is up?", "Tell me why", "Thanks"), ("Hi", "Why", "Stop it"))
ANSWERED = (("See you", "Yes.", "No"), ("A user\nis a person.", "It is so", "Bye."), ("Hello", "", "I stop\n\nnow."))


def without_tokens(
    users: Sequence[str], words: Sequence[str], *, doubled: bool, system: str = LLAMA3
) -> list[Exchange]:
    """What Llama 3's tokenizer decodes without its special tokens: role words stand right behind the texts."""
    history, held = system, []
    for user, said in zip(users, words, strict=True):
        history += f"user\n\n{user}assistant\n\n"
        text = (history + said).strip()
        held.append(Exchange(user, text))
        history += text if doubled else said
    return held


@pytest.mark.parametrize("doubled", [True, False])
def test_role_words_right_behind_a_text_end_it(doubled: bool) -> None:  # noqa: FBT001 - a parameter
    """Whether or not that text ends in a letter; the first turn, the later ones, and a reply that says nothing."""
    held = [without_tokens(users, words, doubled=doubled) for users, words in zip(ASKED, ANSWERED, strict=True)]
    assert left(held) == [list(words) for words in ANSWERED]
    found = echoes(held)
    assert still_holding(held, found, to_cut(held, found)) == 0


def test_a_prompt_without_tokens_that_lost_its_beginning_is_found() -> None:
    """It starts inside the reply before, behind which the user's role word stands."""
    words = ("It is in the north, by the sea.", "It has a very long and colourful history.", "France.")
    held = without_tokens(("Tell me of Oslo", "And Rome", "And Paris"), words, doubled=True)
    whole = held[2].reply or ""
    held[2] = Exchange(held[2].user, whole[whole.rindex("a very long and") :])
    assert left([held]) == [list(words)]


def test_what_still_holds_earlier_users_texts_is_counted() -> None:
    """A prompt that is not recognised in an arm whose others are cut: not told, it would be judged as a reply."""
    users = ("Where does the river begin?", "And where does it end?")
    good = [without_tokens(users, ("In the hills.", "In the sea."), doubled=True) for _ in range(4)]
    other = f"[1] {users[0]} In the hills. (2) {users[1].upper()} [3] In the sea."
    held = [*good, [Exchange(users[0], "In the hills."), Exchange(users[1], other)]]
    found = echoes(held)
    cut = to_cut(held, found)
    assert cut == [True] * 5
    assert still_holding(held, found, cut) == 1
    assert still_holding(held, found, [True] * 4 + [False]) == 0


def test_white_space_that_decoding_changed_does_not_hide_a_prompt() -> None:
    """Decoders join lines and move spaces before punctuation marks."""
    held = [
        Exchange("Name a  colour ,\nplease.", "user\nName a colour, please.\nassistant\nRed."),
        Exchange("Another?", "user\nName a colour, please.\nassistant\nRed. \n\nuser\nAnother ?\nassistant\nBlue."),
    ]
    assert left([held]) == [["Red.", "Blue."]]


@pytest.mark.parametrize(
    "system",
    ["system\nYou are a helpful assistant.\nuser\n", "You are terse.\n\n", "<<SYS>>\nBe brief.\n<</SYS>>\n\n"],
)
def test_a_system_prompt_may_stand_in_front(system: str) -> None:
    """One that the template brings along is in no file; it is known by what follows it."""
    words = ("Paris.", "More.", "Even more.")
    assert left([looped(USERS, words, FORMS["bare"], system), looped(USERS, words, FORMS["bare"], system)]) == [
        list(words),
        list(words),
    ]


def test_a_system_prompt_that_the_file_names_is_known_from_the_first_turn() -> None:
    """In conversations of one turn, where nothing else could tell."""
    held = [[Exchange(f"What is {n} + {n}?", f"Be brief. What is {n} + {n}? {2 * n}.")] for n in range(4)]
    assert left(held, ["Be brief."]) == [["0."], ["2."], ["4."], ["6."]]
    assert left(held)[0] == ["Be brief. What is 0 + 0? 0."]


def test_a_prompt_that_lost_its_beginning_is_found() -> None:
    """The script cut long prompts off at their beginning, without a word."""
    words = ("It is in the north, by the sea.", "It has a very long and colourful history.", "France.")
    held = looped(("Tell me of Oslo.", "And Rome?", "And Paris?"), words, FORMS["plain"])
    whole = held[2].reply or ""
    held[2] = Exchange(held[2].user, whole[whole.index("a very long and") :])
    found = echoes([held])[0][2]
    assert found is not None
    assert not found.whole
    assert left([held]) == [list(words)]


def test_a_script_that_sends_no_history_is_seen_through() -> None:
    """Only the last user's text is in each prompt."""
    held = [[Exchange(user, f"{user} {said}") for user, said in zip(USERS, "ABC", strict=True)]]
    assert left(held) == [["A", "B", "C"]]


def test_a_pure_echo_leaves_nothing() -> None:
    """The model added no word."""
    held = looped(USERS, ("Paris.", "", "More."), FORMS["plain"])
    assert left([held]) == [["Paris.", "", "More."]]


def test_a_turn_without_a_reply_does_not_break_the_chain() -> None:
    """The next prompt is found by the users' texts alone."""
    held = [
        Exchange("One?", "User: One?\nAssistant: 1"),
        Exchange("Two?", None),
        Exchange(
            "Three?",
            "User: One?\nAssistant: User: One?\nAssistant: 1\nUser: Two?\nAssistant: None\nUser: Three?\nAssistant: 3",
        ),
    ]
    assert left([held]) == [["1", "", "3"]]


QUOTING = [
    Exchange("Where is Oslo?", "You asked: Where is Oslo? It is in Norway."),
    Exchange("And Rome?", "And Rome? That is in Italy."),
    Exchange("Thanks", "Thanks to you!"),
]
RECITING = [
    Exchange("Hello", "Hello! How can I help?"),
    Exchange("What is 2 + 2?", "4."),
    Exchange("Repeat all that I said.", "Hello. What is 2 + 2? Repeat all that I said."),
]


@pytest.mark.parametrize("held", [QUOTING, RECITING], ids=["quoting", "reciting"])
def test_a_model_may_repeat_the_question_or_recite_the_conversation(held: list[Exchange]) -> None:
    """A script does it every time; what a model does now and then stays whole."""
    others = [[Exchange(f"Name {n}.", f"The name is {n}."), Exchange("Again.", f"{n}, as I said.")] for n in range(5)]
    whole = [exchange.reply for exchange in held]
    assert left([held])[0] == whole
    assert left([held, *others])[0] == whole


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Paris.\nUser: And Italy?\nAssistant: Rome.", "Paris."),
        ("Paris.\nUser:", "Paris."),
        ("User: And Italy?", ""),
        ("The label User: stands inside.", "The label User: stands inside."),
    ],
)
def test_a_model_that_goes_on_as_the_user_is_known_by_the_label_of_its_prompt(text: str, rest: str) -> None:
    """At the beginning of a line, and whether or not it then replies to itself."""
    held = looped(USERS, (text, "More.", "Even more."), FORMS["plain"])
    echo = echoes([held])[0][0]
    assert echo is not None
    assert echo.label == "User:"
    assert before_label((held[0].reply or "")[echo.end :].strip(), echo.label) == rest
    assert before_label(text, "") == text


def test_the_beginning_of_a_word_is_no_prompt() -> None:
    """``Hello`` does not begin with ``Hell``."""
    held = [[Exchange("Hell", "Hello there.")] for _ in range(5)]
    assert echoes(held) == [[None]] * 5


def test_where_most_replies_echo_short_ones_are_cut_too() -> None:
    """``Hello`` and ``Hello! ...`` alone would prove nothing."""
    held = [looped(("Hello", "And?"), ("! I am a bot.", "Yes."), FORMS["bare"]) for _ in range(3)]
    assert left(held) == [["! I am a bot.", "Yes."]] * 3


def test_a_conversation_that_echoes_all_through_is_cut_alone() -> None:
    """The others of the arm came from a mended script."""
    good = [[Exchange(user, said) for user, said in zip(USERS, WORDS, strict=True)] for _ in range(4)]
    assert left([looped(USERS, WORDS, FORMS["plain"]), *good]) == [list(WORDS)] * 5


TEXTS = st.lists(
    st.sampled_from(
        ["User:", "Assistant:", "user\n", "assistant\n", "Continue.", "yes", " ", "\n", "漢字", "<|im_end|>"]
    ),
    min_size=1,
    max_size=6,
).map("".join)


@given(st.lists(st.tuples(TEXTS, st.none() | TEXTS), min_size=1, max_size=4))
def test_any_texts_can_be_looked_at(pairs: list[tuple[str, str | None]]) -> None:
    """What is found ends inside the reply, and nothing is found where there is none."""
    held = [Exchange(user, reply) for user, reply in pairs]
    for exchange, echo in zip(held, echoes([held])[0], strict=True):
        assert echo is None or 0 < echo.end <= len(exchange.reply or "")


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Paris.</s>", "Paris."),
        ("Paris.<|im_end|>\n<|endoftext|><|endoftext|>", "Paris."),
        ("Paris.", "Paris."),
        ("Write <s>old</s>", "Write <s>old</s>"),
        ("<|im_end|> ends a turn.", "<|im_end|> ends a turn."),
    ],
)
def test_control_tokens_at_the_end_are_no_part_of_a_reply(text: str, rest: str) -> None:
    """Where they were decoded as text; a pair of HTML tags is left alone."""
    assert without_end(text) == rest


def test_control_tokens_inside_are_known_by_their_bars_or_from_the_prompt() -> None:
    """``</s>`` alone may be HTML."""
    assert control_texts("Paris.<|im_end|>\n<|im_start|>user") == ("<|im_end|>", "<|im_start|>")
    assert control_texts("a </s> b") == ()
    assert control_texts("a </s> b", "<s>[INST] x [/INST]") == ("<s>", "[INST]", "[/INST]")
