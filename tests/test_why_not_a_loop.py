"""``docs/why-not-a-loop.md``: every example runs and shows what the page says that it shows."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "why_not_a_loop"
PAGE = ROOT / "docs" / "why-not-a-loop.md"
WITHOUT_A_MODEL = ("one_apostrophe", "error_as_text", "lost_in_a_crash", "turns_counted_as_independent")
WITH_A_MODEL = (
    "prompt_and_reply",
    "no_template",
    "double_bos",
    "one_seed",
    "one_arm_only",
    "no_room",
    "both_in_memory",
    "import_it",
)
NO_EXAMPLES = ("loop", "small_models", "by_multiturn")

Run = Callable[..., list[str]]


def test_no_example_is_forgotten_here_or_on_the_page() -> None:
    """Each is run below, and the page says how to run it."""
    names = {path.stem for path in FOLDER.glob("*.py")}
    assert names == {*WITHOUT_A_MODEL, *WITH_A_MODEL, *NO_EXAMPLES}
    page = PAGE.read_text(encoding="utf-8")
    for name in (*WITHOUT_A_MODEL, *WITH_A_MODEL, "loop"):
        assert f"examples/why_not_a_loop/{name}.py" in page


def test_the_loop_on_the_page_is_the_one_that_runs() -> None:
    """Its heart, to the letter."""
    shown = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    code = (FOLDER / "loop.py").read_text(encoding="utf-8")
    assert shown
    assert all(part in code for part in shown)


def blocks() -> list[str]:
    """The indented blocks of the page, without their indent."""
    text = PAGE.read_text(encoding="utf-8")
    return [
        re.sub(r"^ {4}", "", block, flags=re.MULTILINE)
        for block in re.findall(r"(?:^ {4}.*\n|^\n(?= {4}))+", text, re.MULTILINE)
    ]


@pytest.mark.parametrize("name", WITHOUT_A_MODEL)
def test_an_example_prints_what_the_page_shows(name: str, tmp_path: Path) -> None:
    """To the letter, where no model and no clock has a part in it."""
    command = [sys.executable, str(FOLDER / f"{name}.py")]
    done = subprocess.run(command, check=True, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    shown = next(block for block in blocks() if done.stdout.splitlines()[0] in block)
    if name == "lost_in_a_crash":  # a reply may be on its way to the disk when the process dies
        shown, printed = (re.sub(r"\d+ replies are|now: \d+", "N", text) for text in (shown, done.stdout))
        assert printed.strip() == shown.strip()
        return
    assert done.stdout.strip() == shown.strip()


@pytest.fixture(scope="module")
def run(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs an example in this process, where torch is loaded once; gives the lines that it printed."""
    made = tmp_path_factory.mktemp("examples")
    (made / "smollm2").symlink_to(smollm2)
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(str(FOLDER))
    torch: Any = importlib.import_module("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # on a busy machine two take ten times as long
    importlib.import_module("small_models").CACHE = made  # type: ignore[attr-defined]

    def give(name: str, capsys: pytest.CaptureFixture[str], *arguments: Any) -> list[str]:  # noqa: ANN401 - as main takes
        module: ModuleType = importlib.import_module(name)
        capsys.readouterr()
        module.main(*arguments)
        return capsys.readouterr().out.splitlines()

    yield give
    torch.set_num_threads(threads)
    patch.undo()


def test_prompt_and_reply(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """The loop's replies grow with the history and are all refusals; the model's are of one length, and none is."""
    loop, multiturn = halves(run("prompt_and_reply", capsys, 6))
    assert [line.endswith("refusal: True") for line in loop] == [True] * 3
    assert [line.endswith("refusal: False") for line in multiturn] == [True] * 3
    first, second, third = (int(re.findall(r"(\d+) words", line)[0]) for line in loop)
    assert 2 * first < 2 * second - first
    assert 2 * second < third


def test_no_template(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither with stop strings nor with a template does the model go on as the user."""
    lines = run("no_template", capsys, 8, 1)
    assert [line for line in lines if "multiturn" in line] == [
        "multiturn, the same form, with stop strings: 0 of 2 replies go on as the user",
        "multiturn, the model's own template: 0 of 2 replies go on as the user",
    ]


def test_double_bos(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """Exactly as on the page."""
    assert "\n".join(run("double_bos", capsys)) in {block.strip() for block in blocks()}


def test_one_seed(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """The order of the conversations changes what the loop's model says, and nothing with multiturn."""
    loop, multiturn = halves(run("one_seed", capsys, 6))
    assert len({line.partition("bird -> ")[2] for line in loop}) == 2
    assert len({line.partition("bird -> ")[2] for line in multiturn}) == 1


def test_one_arm_only(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """Equal weights say the same only where no folder's settings are applied."""
    loop, multiturn = halves(run("one_arm_only", capsys, 4))
    assert len({line.partition(": ")[2] for line in loop}) == 2
    assert len({line.partition(": ")[2] for line in multiturn}) == 1


def test_no_room(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """The loop's replies shrink to one token, and its questions vanish; multiturn stops and says so."""
    loop, multiturn = halves(run("no_room", capsys))
    assert loop[-1] == "turn 5: 1 new tokens, the question is cut off"
    assert [line.rpartition(", ")[2] for line in multiturn][-3:] == ["overflowed", "not_reached", "not_reached"]


def test_both_in_memory(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """One base and its adapter, against the base twice."""
    weights, loop, multiturn = (int(re.findall(r"(\d+) MB", line)[0]) for line in run("both_in_memory", capsys, 1024))
    assert loop - multiturn > 0.6 * weights


def test_import_it(run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What the loop wrote is freed of its prompts."""
    turns = [{"text": text} for text in ("Name a cake.", "Another.", "Another.")]
    (tmp_path / "suite.json").write_text(json.dumps({"conversations": [{"id": "cakes", "turns": turns}]}), "utf-8")
    importlib.import_module("loop").SUITE = tmp_path / "suite.json"  # type: ignore[attr-defined]
    lines = run("import_it", capsys, 1, 3)
    assert sum("3 of 3 replies began with their own prompt" in line for line in lines) == 2
    assert lines[-1].startswith("  multiturn diff ")


def halves(lines: list[str]) -> tuple[list[str], list[str]]:
    """What an example printed of the loop, and of multiturn, without the two headings."""
    at = next(index for index, line in enumerate(lines) if line.startswith("multiturn"))
    return [line.strip() for line in lines[1:at]], [line.strip() for line in lines[at + 1 :]]
