"""Templates for servers that are asked by text: what they write of BOS and EOS, and what ends a reply."""

from __future__ import annotations

import pytest

from multiturn.conversation import Message
from multiturn.engines.chat_template import PLAIN_STOP
from multiturn.engines.http_setup import Found
from multiturn.engines.http_text import TextForm, text_form
from multiturn.errors import EngineSetupError
from multiturn.facts import EngineOptions

SAID = (Message("user", "Hi"), Message("assistant", "Hello."), Message("user", "Why?"))
ZEPHYR = "{% for m in messages %}<|{{ m['role'] }}|>\n{{ m['content'] + eos_token }}\n{% endfor %}<|assistant|>\n"
MISTRAL = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'user' %}[INST] {{ m['content'] }} [/INST]"
    "{% elif m['role'] == 'assistant' %}{{ m['content'] + eos_token }}"
    "{% else %}{{ raise_exception('no system') }}{% endif %}{% endfor %}"
)
LLAMA_2 = (
    "{% for m in messages %}{% if m['role'] == 'user' %}{{ bos_token }}[INST] {{ m['content'] }} [/INST]"
    "{% else %} {{ m['content'] }} {{ eos_token }}{% endif %}{% endfor %}"
)
LLAMA_3 = (
    "{{ bos_token }}{% for m in messages %}<|h|>{{ m['role'] }}<|/h|>{{ m['content'] }}<|eot_id|>{% endfor %}"
    "<|h|>assistant<|/h|>"
)
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n"
)
KNOWN = Found(bos="<s>", eos="</s>")


def form(source: str, found: Found | None = None) -> TextForm:
    options = EngineOptions(template="mine.jinja", template_source=source)
    return text_form(options, found or Found())


def test_eos_behind_each_reply_where_the_server_tells_it() -> None:
    """As the model was trained: without it the next turn would begin in the middle of a reply."""
    assert form(ZEPHYR, KNOWN).text(SAID) == (
        "<|user|>\nHi</s>\n<|assistant|>\nHello.</s>\n<|user|>\nWhy?</s>\n<|assistant|>"
    )


@pytest.mark.parametrize(
    ("source", "names", "lines"),
    [
        (ZEPHYR, "writes eos_token,", ["{% set eos_token = '</s>' %}"]),
        (MISTRAL, "writes eos_token,", ["{% set eos_token = '</s>' %}"]),
        (LLAMA_2, "writes bos_token and eos_token,", ["{% set bos_token = '<s>' %}", "{% set eos_token = '</s>' %}"]),
    ],
)
def test_a_token_that_nobody_tells_stops_a_run(source: str, names: str, lines: list[str]) -> None:
    """With the lines to write; a template with those lines is a whole one."""
    with pytest.raises(EngineSetupError, match=names) as caught:
        form(source)
    assert [line.strip() for line in caught.value.hint.splitlines()[1:]] == lines
    assert "mine.jinja" in caught.value.message
    mended = form("\n".join([*lines, source]))
    assert "Hello. </s>" in mended.text(SAID) or "Hello.</s>" in mended.text(SAID)
    assert mended.stop == ("</s>",)


@pytest.mark.parametrize("found", [Found(), KNOWN, Found(bos="<s>", eos="</s>", adds_bos=True)])
def test_a_bos_at_the_beginning_is_left_to_the_server(found: Found) -> None:
    """It puts one there itself: two would be another prompt."""
    assert form(LLAMA_3, found).text(SAID).startswith("<|h|>user<|/h|>Hi<|eot_id|>")


def test_only_the_first_bos_is_left_to_the_server() -> None:
    """Those between the turns are the template's."""
    assert form(LLAMA_2, KNOWN).text(SAID) == "[INST] Hi [/INST] Hello. </s><s>[INST] Why? [/INST]"
    spelled_out = "<s>" + LLAMA_3.removeprefix("{{ bos_token }}")
    assert form(spelled_out).text(SAID).startswith("<|h|>user")


def test_a_server_that_says_that_it_adds_no_bos_is_sent_it() -> None:
    found = Found(bos="<s>", eos="</s>", adds_bos=False)
    assert form(LLAMA_3, found).text(SAID).startswith("<s><|h|>user")


def test_a_control_token_that_all_messages_begin_with_stays() -> None:
    """ChatML's, which some models also name as their BOS: their servers say that they add none."""
    found = Found(bos="<|im_start|>", eos="<|im_end|>", adds_bos=False)
    assert form(CHATML, found).text(SAID).startswith("<|im_start|>user\nHi")
    assert form(CHATML).text(SAID).startswith("<|im_start|>user\nHi")


@pytest.mark.parametrize(
    ("source", "found", "stop"),
    [
        (CHATML, Found(), ("<|im_end|>",)),
        (CHATML, Found(eos="<|endoftext|>"), ("<|endoftext|>", "<|im_end|>")),
        (LLAMA_3, Found(), ("<|eot_id|>",)),
        (ZEPHYR, KNOWN, ("</s>",)),
        ("{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}[assistant]", Found(), ()),
    ],
)
def test_what_ends_a_reply(source: str, found: Found, stop: tuple[str, ...]) -> None:
    """The model's EOS where it is told, and what the template writes behind a reply: a base model knows no other end."""
    assert form(source, found).stop == stop


def test_the_plain_form_has_its_own_ends() -> None:
    """It writes no tokens at all."""
    plain = text_form(EngineOptions(template="plain"), KNOWN)
    assert plain.stop == PLAIN_STOP
    assert plain.text(SAID[:1]) == "User: Hi\nAssistant:"
