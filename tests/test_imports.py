"""What importing costs, and that the house stands: no circles, imports at the top, nothing printed, no long files."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = SOURCE / "multiturn"
FILES = sorted(PACKAGE.rglob("*.py"))
HEAVY = ("numpy", "scipy", "sqlalchemy", "torch", "transformers", "ray", "xllamacpp", "aiohttp", "altair")
MAY_IMPORT_LATE = {"registry.py", "__init__.py"}
MOST_LINES = 400

HELP = """
import sys
from multiturn.cli import main
sys.argv = ["multiturn", "--help"]
try:
    main()
except SystemExit as left:
    assert not left.code, left.code
"""
TELL = f"\nimport sys\nsys.stderr.write(' '.join(name for name in {HEAVY!r} if name in sys.modules))\n"


@pytest.mark.parametrize("code", ["import multiturn", HELP, "import multiturn.registry", "import multiturn.protocols"])
def test_nothing_heavy_is_loaded(code: str) -> None:
    """In a process of its own: importing the package, asking for help, and naming the seams stay quick."""
    done = subprocess.run([sys.executable, "-c", code + TELL], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert ("Usage" in done.stdout) == ("--help" in code)


def test_the_api_is_loaded_when_it_is_touched() -> None:
    """``multiturn.api`` needs no import of its own; another name is an error like any module's."""
    code = "import multiturn; multiturn.api.compare; multiturn.nothing"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "AttributeError: module 'multiturn' has no attribute 'nothing'" in done.stderr
    assert "line 1" in done.stderr


def name_of(file: Path) -> str:
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(file): file for file in FILES}


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), filename=str(file))


def is_for_types(node: ast.stmt) -> bool:
    """Whether this is ``if TYPE_CHECKING:``."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imports_at_run_time(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif isinstance(child, ast.If) and is_for_types(child):
            for other in child.orelse:
                yield from imports_at_run_time(other)
        else:
            yield from imports_at_run_time(child)


def imported_by(name: str) -> set[str]:
    """The modules of ours that this one imports, at the top or anywhere else."""
    found: set[str] = set()
    for node in imports_at_run_time(tree_of(MODULES[name])):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
            assert node.level == 0, f"{name} imports relatively"
            module = node.module or ""
            inner = {f"{module}.{alias.name}" for alias in node.names}
            found |= inner & MODULES.keys() if inner <= MODULES.keys() else {module} | inner
    return found & MODULES.keys()


def test_imports_make_no_circle() -> None:
    """Modules can be put in an order in which each imports only those before it."""
    left = {name: imported_by(name) - {name} for name in MODULES}
    assert sum(map(len, left.values())) > len(MODULES), "the imports were not found"
    while ready := {name for name, needs in left.items() if not needs & left.keys()}:
        left = {name: needs for name, needs in left.items() if name not in ready}
    assert left == {}


GROUND = {
    "errors",
    "conversation",
    "transcript",
    "rubric",
    "judgment",
    "judge_card",
    "finding",
    "results",
    "codec",
    "conditions",
    "display",
    "looks",
    "series",
    "ranking",
    "scores",
    "judged_pair",
    "facts",
    "examination",
    "protocols",
}


@pytest.mark.parametrize("name", sorted(GROUND))
def test_the_ground_floor_knows_nothing_above_it(name: str) -> None:
    """Values and seams import values and seams."""
    assert imported_by(f"multiturn.{name}") <= {f"multiturn.{other}" for other in GROUND}


WORKERS = ("checks", "suites", "engines", "signals", "judges", "stats", "store", "report")


BELOW = {"suites": ("multiturn.checks",)}
"""Suites hold checks: their reader, lint and proof stand above them."""


def named_by(name: str) -> set[str]:
    """The modules of ours that this one imports, for types too."""
    modules = {
        module
        for node in ast.walk(tree_of(MODULES[name]))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for module in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names])
    }
    return {module for module in modules if module.startswith("multiturn")}


@pytest.mark.parametrize("worker", WORKERS)
def test_workers_are_strangers_to_each_other_and_to_the_story(worker: str) -> None:
    """What lies in a folder speaks values, seams and text measures, and names no other folder, not even for types."""
    allowed = {f"multiturn.{name}" for name in GROUND} | {"multiturn"}
    own = [name for name in MODULES if name.split(".")[1:2] == [worker]]
    assert own
    for name in own:
        strange = {
            other
            for other in named_by(name)
            if other not in allowed
            and not other.startswith(("multiturn.text", *BELOW.get(worker, ()), f"multiturn.{worker}"))
        }
        assert not strange, name


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_how_a_file_is_made(file: Path) -> None:
    """No import inside a function, no print outside the command line, no more lines than can be overlooked."""
    tree = tree_of(file)
    place = file.relative_to(PACKAGE)
    late = [
        node.lineno
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert not late or str(place) in MAY_IMPORT_LATE, f"imports inside functions at {late}"
    printed = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert not printed or place.parts[0] == "cli", f"prints at {printed}"
    assert len(file.read_text(encoding="utf-8").splitlines()) <= MOST_LINES
