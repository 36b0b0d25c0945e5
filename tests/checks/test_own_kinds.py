"""Kinds of someone's own: who may bring them, what they must be, and what becomes of those that go wrong."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest
from tests.checks.asking import ask

from multiturn import api
from multiturn.checks.base import Bad, Kind, Look, passed
from multiturn.checks.own import allow_checks
from multiturn.checks.reading import read_check
from multiturn.conversation import CheckJson, Conversation, Suite, Turn
from multiturn.finding import CheckResult, Outcome, Span
from multiturn.suites.proof import prove
from multiturn.transcript import Transcript, TurnRecord

PAGE = (Path(__file__).parents[2] / "docs" / "checks.md").read_text(encoding="utf-8").partition("## A kind of your")[2]
HERE = __name__
SNOW = "Snow on the old roof\nwaiting for the morning sun\nthe snow says nothing"

allow_checks(HERE)


def block(language: str) -> str:
    """The only block of the section in this language."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


def fault_of(check: object) -> str:
    """Why the check can't be read."""
    with pytest.raises(ValueError, match=r".") as caught:
        read_check(CheckJson(msgspec.json.encode(check)))
    return str(caught.value)


def one_turn(check: dict[str, object], golden: str) -> Suite:
    """A suite of one turn with one check."""
    turn = Turn(text="A haiku.", golden=golden, checks=(CheckJson(msgspec.json.encode(check)),))
    return Suite(name="s", conversations=(Conversation(id="a", turns=(turn,)),))


@dataclasses.dataclass(frozen=True)
class Says:
    """Gives any outcome, with a span of any text."""

    outcome: str = "pass"
    quoted: str = ""

    def __call__(self, _so_far: Transcript, turn: TurnRecord) -> CheckResult:
        """From the start of the reply."""
        assert turn.reply
        span = Span(start=0, end=len(self.quoted), text=self.quoted) if self.quoted else None
        outcome: Outcome = self.outcome  # type: ignore[assignment]  # someone may get it wrong
        return CheckResult(outcome=outcome, reason="so it is", span=span)


class Raises(msgspec.Struct, frozen=True):
    """Goes wrong when it is made, described or asked."""

    when: str

    def __post_init__(self) -> None:
        self.goes_wrong("made")

    def wants(self) -> str:
        """It looks for nothing."""
        self.goes_wrong("described")
        return "breaks"

    def goes_wrong(self, now: str) -> None:
        """In a way that is no fault of data."""
        if self.when == now:
            raise ZeroDivisionError(now)

    def __call__(self, _so_far: Transcript, _turn: TurnRecord) -> CheckResult:
        """It gives no answer."""
        self.goes_wrong("asked")
        return None  # type: ignore[return-value]  # someone may forget


class LikeOurs(Kind, frozen=True):
    """Built as ours are, with scope and guards."""

    positive: ClassVar[bool] = False

    def wants(self) -> str:
        """Anything."""
        return "says anything"

    def longest_back(self) -> int:
        """Two."""
        return 2

    def decide(self, look: Look) -> CheckResult:
        """The part in scope is the reason."""
        return passed(look.part.text)


class NoCall(msgspec.Struct, frozen=True):
    """Can't be asked."""


class NoFields:
    """Neither struct nor dataclass."""

    def __call__(self, _so_far: Transcript, _turn: TurnRecord) -> CheckResult:
        """It passes."""
        return CheckResult(outcome="pass", reason="always")


def test_the_example_of_the_page_is_asked_and_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what the page says to set, the check does what it says, and prove tries its bad reply."""
    (tmp_path / "my_checks.py").write_text(block("python"), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    check = json.loads(block("json"))
    told = fault_of(check)
    setting = re.search(r"MULTITURN_CHECKS=(\w+)", told)
    assert setting
    assert setting[0] in PAGE
    monkeypatch.setenv("MULTITURN_CHECKS", f"other, {setting[1]}")
    found = ask(check, SNOW)
    assert (found.outcome, found.span) == (
        "pass",
        Span(start=SNOW.index("snow"), end=SNOW.index("snow") + 4, text="snow"),
    )
    assert ask(check, "Snow.").reason == "has 1 lines, not 3"
    read = read_check(CheckJson(msgspec.json.encode(check)))
    assert (read.wants, read.positive) == ("is a haiku with 'snow' in it", True)
    assert prove(one_turn(check, SNOW)).shortcomings == ()
    good = {**check, "bad": [{"reply": SNOW}]}
    assert [one.step for one in prove(one_turn(good, SNOW)).shortcomings] == ["bad"]


def test_an_installed_package_may_name_a_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the entry points of the page; it needs no leave, since it was installed."""
    (tmp_path / "my_checks.py").write_text(block("python"), encoding="utf-8")
    info = tmp_path / "my_checks-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-checks\nVersion: 1.0\n", encoding="utf-8")
    points = block("toml").replace("project.entry-points.", "").replace('"', "")
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    check = {"kind": "haiku", "season": "snow"}
    assert fault_of(check) == "kind 'haiku' is none; docs/checks.md has all kinds"
    monkeypatch.syspath_prepend(tmp_path)
    assert ask(check, SNOW).outcome == "pass"
    assert fault_of({"kind": "haikus"}) == "kind 'haikus' is none; did you mean 'haiku'?"


def test_nothing_runs_that_was_not_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once allowed, by name and not by how it begins, the same check is read: a refusal is not remembered."""
    source = "import pathlib\npathlib.Path(__file__).with_name('ran').touch()\n"
    (tmp_path / "strangers.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    check = {"kind": "strangers:X"}
    for allowed in ("", "stranger", "strangers.module", " , "):
        monkeypatch.setenv("MULTITURN_CHECKS", allowed)
        assert fault_of(check) == (
            "kind 'strangers:X' would run code of 'strangers', which is not allowed; where you trust it, set "
            "MULTITURN_CHECKS=strangers, or call multiturn.api.allow_checks('strangers')"
        )
    assert not (tmp_path / "ran").exists()
    api.allow_checks("strangers")
    assert "has no attribute 'X'" in fault_of(check)
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["", "a b", "a:B", "a.", "*"])
def test_only_packages_are_allowed(name: str) -> None:
    with pytest.raises(ValueError, match="is no name of a package"):
        allow_checks(name)


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ({"kind": "nowhere_at_all:X"}, "No module named 'nowhere_at_all'; install it, or set PYTHONPATH"),
        ({"kind": f"{HERE}:Missing"}, "has no attribute 'Missing'"),
        ({"kind": "broken_at_import:X"}, "can't be loaded: SystemExit: 3"),
        ({"kind": "os:getcwd"}, "kind 'os:getcwd' is no class"),
        ({"kind": f"{HERE}:NoCall"}, "is a class without __call__(so_far, turn)"),
        ({"kind": f"{HERE}:NoFields"}, "is neither a msgspec.Struct nor a dataclass"),
        ({"kind": f"{HERE}:Says", "outcom": "fail"}, "outcom is no field of it; did you mean 'outcome'?"),
        ({"kind": f"{HERE}:Says", "outcome": 1}, "outcome: Expected `str`, got `int`"),
        ({"kind": f"{HERE}:Raises", "whenever": ""}, "whenever is no field of it; did you mean 'when'?"),
        ({"kind": f"{HERE}:NoCall", "scope": "code"}, "is a class without"),
        ({"kind": f"{HERE}:Raises"}, "missing required field `when`"),
        ({"kind": f"{HERE}:Raises", "when": "made"}, "can't be made: ZeroDivisionError: made"),
        ({"kind": f"{HERE}:Raises", "when": "described"}, "can't say what it looks for: ZeroDivisionError: described"),
        ({"kind": f"{HERE}:Says", "bad": [{"reply": " "}]}, "bad[0]: a bad reply is empty"),
        ({"kind": f"{HERE}:Says", "why": 1}, "why: Expected `str`, got `int`"),
        ({"kind": "not", "check": {"kind": f"{HERE}:Says", "x": 1}}, "check.x is no field of it"),
        ({"kind": "not", "check": {"kind": f"{HERE}:Says", "bad": [{"reply": "a"}]}}, "check.bad belongs to the check"),
    ],
)
def test_what_can_not_be_a_check_is_a_fault_of_the_suite(
    check: dict[str, object], fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never a traceback; with the field, where it is one."""
    (tmp_path / "broken_at_import.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("MULTITURN_CHECKS", "nowhere_at_all,broken_at_import,os")
    assert fault in fault_of(check)


def test_why_and_bad_are_kept_for_reports_and_proofs() -> None:
    """The class knows neither, be it a dataclass or built as ours are."""
    for kind in ("Says", "LikeOurs"):
        common = {"why": "It must.", "bad": [{"reply": "No."}]}
        check = read_check(CheckJson(msgspec.json.encode({"kind": f"{HERE}:{kind}", **common}))).check
        assert isinstance(check, Kind)
        assert (check.why, check.bad) == ("It must.", (Bad("No."),))


def test_one_that_is_built_as_ours_are_has_their_scopes_and_guards() -> None:
    """And says what they say of themselves."""
    check = {"kind": f"{HERE}:LikeOurs", "scope": "first_line"}
    assert ask(check, "One\nTwo").reason == "One"
    assert ask(check, "I'm sorry, but I can't help with that.").reason == "the reply is a refusal"
    read = read_check(CheckJson(msgspec.json.encode(check)))
    assert (read.wants, read.positive, read.longest_back(), read.phrases()) == ("says anything", False, 2, ())


def test_it_is_asked_only_where_there_is_a_reply() -> None:
    """Without one it says what every check says."""
    check = {"kind": f"{HERE}:Says"}
    assert ask(check, "").reason == "the reply is empty"
    assert ask(check, None, status="overflowed").outcome == "fail"
    assert ask(check, None, status="failed").outcome == "not_applicable"
    assert ask(check, "Yes.", status="length").outcome == "pass"


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ({"kind": f"{HERE}:Raises", "when": "asked"}, "the check broke: ZeroDivisionError: asked"),
        ({"kind": f"{HERE}:Raises", "when": ""}, "the check broke: TypeError: it gave None, no CheckResult"),
        (
            {"kind": f"{HERE}:Says", "outcome": "passed"},
            "the check broke: ValidationError: Invalid enum value 'passed'",
        ),
        ({"kind": f"{HERE}:Says", "quoted": "No."}, "the check broke: ValueError: its span 'No.' is not what stands"),
    ],
)
def test_what_goes_wrong_when_it_is_asked_is_told_and_not_counted(check: dict[str, object], reason: str) -> None:
    """It blames no model and loses no report; a check around it can't say either."""
    for asked in (check, {"kind": "not", "check": check}, {"kind": "all_of", "checks": [check]}):
        found = ask(asked, "Yes.")
        assert found.outcome == "not_applicable"
        assert found.reason.startswith(reason)
    assert ask({"kind": f"{HERE}:Says", "quoted": "Yes"}, "Yes.").span == Span(start=0, end=3, text="Yes")
