"""A report for a pull request: what stands in it, how long it can get, and that nothing in it does anything."""

from __future__ import annotations

import re
from itertools import pairwise

import msgspec
import pytest
from markdown_it import MarkdownIt
from tests import comparing
from tests.report.dossiers import filled
from tests.report.lettered import BAD, GOOD, lettered
from tests.report.page.filled import OF_CONVERSATION, OF_RUN
from tests.report.page.hostile import HEAVY
from tests.report.page.hostile import TEXTS as HOSTILE

from multiturn.report.dossier import Dossier
from multiturn.report.pull_request import MOST, headline, pull_request
from multiturn.results import Comparison

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
LIMIT = 65_536
OUR_HTML = {"<details><summary>", "</summary>", "</details>", "<br>"}
BEGINS = re.compile(
    r"## multiturn: |### |\*\*|- \*\*|- |\| |\|( --- \|)+|\d\. \*\*|   > |   >$|   <br>|</?details>|```|"
)


def with_comparison(comparison: Comparison) -> str:
    """The text of a plain dossier with this comparison in it."""
    plain = filled()
    return pull_request(
        Dossier(runs=plain.runs, arms=plain.arms, command="multiturn compare a b", comparisons=(comparison,))
    )


def test_the_numbers_of_a_headline_say_what_they_rest_on_where_the_difference_rests_on_less() -> None:
    """In the headline, the sentence below it and the table alike: a mean over other conversations is another mean."""
    whole = lettered(GOOD, BAD)
    assert headline(whole) == "REGRESSED, checks passed 75.0% to 25.0%"
    part = lettered(GOOD, (*BAD[:10], "-", "-"))
    assert headline(part).endswith(", checks passed 75.0% (n=12) to 20.0%")
    told = with_comparison(part)
    assert "20.0% against 75.0% (n=12)" in told
    assert "| 75.0%<br>(n=12) | 20.0% |" in told


@pytest.mark.parametrize("arms", [1, 2, 3])
@pytest.mark.parametrize("family", range(8))
def test_hostile_texts_do_nothing(family: int, arms: int) -> None:
    """In every field of a conversation and of a run: no element but ours, no link, no picture, no heading of theirs."""
    texts = [text for text in HOSTILE.values() if "\ud800" not in text][family::8]
    conversations = [
        dict.fromkeys(OF_CONVERSATION, text) | {"id": f"{at} {text[:150]}"} for at, text in enumerate(texts)
    ]
    run = dict.fromkeys(OF_RUN, texts[0]) | {"run": "r1-"}
    told = pull_request(filled(*conversations, run=run, arms=arms))
    blocks = PARSER.parse(told)
    inside = [one for block in blocks for one in block.children or []]
    assert not {"link_open", "image"} & {one.type for one in inside}
    html = [one.content for one in inside if one.type == "html_inline"]
    html += [block.content.strip() for block in blocks if block.type == "html_block"]
    assert {re.sub(r"[\w :,()]+(?=</summary>)", "", one) for one in html} <= {
        "<details><summary></summary>",
        "</details>",
        "<br>",
    }
    headings = [inline.content for opened, inline in pairwise(blocks) if opened.type == "heading_open"]
    assert len(headings) == (1 if arms < 3 else arms)
    assert len(told) <= LIMIT


def test_of_one_run_of_several_samples_each_failing_check_names_its_own() -> None:
    """The first one too; of a run held once no sample is named."""
    plain = filled(arms=1)
    assert "(sample 1)" not in pull_request(plain)
    conditions = msgspec.structs.replace(plain.runs[0].conditions, samples=2)
    twice = msgspec.structs.replace(plain, runs=(msgspec.structs.replace(plain.runs[0], conditions=conditions),))
    assert "| 1 (sample 1) |" in pull_request(twice)


def test_no_line_begins_with_a_text_of_others() -> None:
    """A service that reads comments line by line takes ``/close`` at a line's beginning for an order."""
    order = "/close\n/close"
    conversation = dict.fromkeys(OF_CONVERSATION, order)
    told = pull_request(filled(conversation, run=dict.fromkeys(OF_RUN, order) | {"run": "r1-"}))
    assert "/close" in told
    assert not [line for line in told.splitlines() if line.lstrip(" >").startswith("/")]


@pytest.mark.parametrize("arms", [1, 2, 3, 9])
def test_it_fits_into_a_comment_whatever_comes_in(arms: int) -> None:
    """Hundreds of conversations of the heaviest replies; what was left out is named, and every part that is there is whole."""
    texts = list(HEAVY.values())
    conversations = [
        {
            "id": f"{at}{'@' * 190}",
            "reply": texts[at % len(texts)][:5000],
            "check_why": "@" * 5000,
            "reason": "<" * 5000,
        }
        for at in range(60)
    ]
    run = dict.fromkeys(OF_RUN, "@#" * 2000) | {"run": "r1-"}
    told = pull_request(filled(*conversations, run=run, arms=arms))
    assert len(told) <= MOST
    assert told.count("<details>") == told.count("</details>")


def test_what_had_no_room_is_named() -> None:
    told = pull_request(filled({"reply": "@" * 300}, arms=12), most=2_000)
    assert len(told) <= 2_000
    assert "Left out, since it would be too long: " in told


def test_the_verdict_comes_first_then_what_proves_it() -> None:
    """In this order: the word, the sentence, the verdicts, what moved, what to read, the flipped checks, conditions."""
    told = pull_request(filled({"id": "kettle-green"}))
    order = [
        "## multiturn: INCONCLUSIVE, checks passed",
        "**base** scripted:base, **tuned** scripted:tuned",
        "| measure | base | tuned |",
        "**Can't be told yet:**",
        "**Read these first**",
        "1. **kettle-green**, turn 1",
        "**user:** Which colour does the kettle have?",
        "<summary>Flipped checks: ",
        "<summary>How to read the numbers",
        "<summary>Conditions, and how to hold it again",
        "multiturn runs",
        "It is a signal, no proof",
    ]
    places = [told.index(one) for one in order]
    assert places == sorted(places)


def test_what_got_worse_is_told_with_its_interval_and_what_it_rests_on() -> None:
    told = with_comparison(lettered(GOOD, BAD))
    assert "## multiturn: REGRESSED, checks passed" in told
    assert re.search(r"- \*\*Got worse:\*\* checks passed -\d+\.\d pp \\\[-\d+\.\d, -\d+\.\d\\\] n=12", told)


def test_what_is_to_be_fixed_first_stands_before_the_verdicts() -> None:
    """A model that declines everything."""
    base = [comparing.held(f"c{at}", "Yes.", "Of course.") for at in range(4)]
    tuned = [comparing.held(f"c{at}", "Sorry, no.", "Sorry, not that.") for at in range(4)]
    told = with_comparison(comparing.compared(comparing.suite(4), base, tuned))
    first = told.index("**Fix first**\n\n- 100.0% of tuned's replies are refusals (base 0.0%)\n")
    assert first < told.index("| measure | base | tuned |")
    assert "may be no more than a consequence of that" in told


def test_an_a_a_run_says_that_it_is_one() -> None:
    assert headline(lettered(GOOD, BAD, same_model=True)).startswith("A/A run: ")


def test_a_comparison_without_checks_has_no_verdict_on_them() -> None:
    assert headline(lettered(GOOD, BAD, checked=False)) == "no verdict"


def test_one_run_is_told_by_its_pass_rate_and_its_failing_checks() -> None:
    told = pull_request(filled({"check_why": "The colour is lost."}, arms=1))
    assert told.startswith("## multiturn: scripted:base passes ")
    assert "1 failing check</summary>" in told
    assert "The colour is lost." in told
    assert "two models" not in told


def test_several_runs_are_ranked_and_each_is_compared_with_the_first() -> None:
    told = pull_request(filled(arms=3))
    assert told.startswith("## multiturn: 3 models on kettles version 1")
    assert "**Checks passed, best first**" in told
    for arm in ("arm 2", "arm 3"):
        assert f"### {arm} against base: " in told


def test_of_several_runs_an_arm_has_one_name() -> None:
    """In the headline, the sentences, the table and what is to be fixed; a note that says tuned says who that is."""
    refusing = [comparing.held(f"c{at}", *["Sorry"] * 4) for at in range(6)]
    plain = [comparing.held(f"c{at}", *["word"] * 4) for at in range(6)]
    broken = comparing.compared(comparing.suite(6, 4, refusal_expected=False), plain, refusing)
    lost = lettered(["pppp"] * 8, ["pppf", "pppp", "ppff", "pppf", *["-"] * 4])
    dossier = msgspec.structs.replace(filled(arms=3), comparisons=(lost, broken), read=())
    told = pull_request(dossier)
    assert "| measure | base | arm 2 | arm 2 - base | verdict |" in told
    assert "had gone against arm 2" in told
    assert "of arm 3's replies are refusals where none is right (base 0.0%)" in told
    tuned = [line for line in told.replace("scripted:tuned", "").splitlines() if re.search(r"\btuned\b", line)]
    assert all("(here called tuned): " in line for line in tuned), tuned
