"""Every error that multiturn raises on purpose, and the exit code of each.

    MultiturnError                 exit 1   something in multiturn itself
    ├── UsageError                 exit 2   what was asked for can't be done as asked
    │   ├── SpecError              a model spec that names no engine or no model
    │   ├── Faulty                 a file with faults (all of them, each with its place)
    │   │   ├── SuiteError         a suite
    │   │   └── RubricError        a rubric
    │   ├── MissingExtra           a package that an engine needs is not installed
    │   ├── ConditionsDiffer       two things that must match (resume, compare) do not
    │   └── NotFound               a run, a conversation or a file that is not there
    ├── StoreError                 exit 5   the database: locked, full, read-only, too new
    └── EngineError                exit 5   an engine could not be set up or could not reply
        ├── EngineSetupError       found before the first reply
        ├── ContextOverflow        prompt and reply do not fit the context window
        └── ReplyFailed            one reply failed: kind (timeout, server, ...), worth a retry or not

Each says what happened in ``message`` and what to do next in ``hint``. Errors of other libraries are translated at the
rim, where they occur; programming errors pass through unchanged. ``Interrupted`` is no error: it is how Ctrl-C leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_OK: Final = 0
EXIT_INTERNAL: Final = 1
EXIT_USAGE: Final = 2
EXIT_REGRESSED: Final = 3
EXIT_INCONCLUSIVE: Final = 4
EXIT_INFRASTRUCTURE: Final = 5
EXIT_INTERRUPTED: Final = 130

FailureKind = Literal[
    "timeout", "connection", "rate_limited", "server", "auth", "not_found", "bad_request", "protocol", "engine"
]
"""Why the environment could not give a reply."""


class MultiturnError(Exception):
    """Base of all errors of this package; ``hint`` is the next thing to do or type."""

    exit_code: ClassVar[int] = EXIT_INTERNAL

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  next: {self.hint}" if self.hint else self.message


class UsageError(MultiturnError):
    """What was asked for can't be done as asked."""

    exit_code = EXIT_USAGE


class SpecError(UsageError):
    """A model spec names no known engine, or an engine can't read it."""


class MissingExtra(UsageError):
    """A package that this feature needs is not installed; the hint is the exact install line."""


class ConditionsDiffer(UsageError):
    """A stored run and what is asked for now differ in a condition that must be the same."""


class NotFound(UsageError):
    """A run, a conversation or a file that was named does not exist."""


class Faulty(UsageError):
    """A file has faults. All faults are listed, each as ``place: what is wrong``."""

    def __init__(self, source: str, faults: Sequence[str], *, hint: str = "") -> None:
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        lines = "\n".join(f"  {fault}" for fault in faults)
        super().__init__(f"{source}: {count}\n{lines}", hint=hint)
        self.source = source
        self.faults = tuple(faults)


class SuiteError(Faulty):
    """A suite has faults."""


class RubricError(Faulty):
    """A rubric has faults."""


class StoreError(MultiturnError):
    """The store can't be opened, read or written."""

    exit_code = EXIT_INFRASTRUCTURE


class EngineError(MultiturnError):
    """An engine could not do what was asked of it."""

    exit_code = EXIT_INFRASTRUCTURE


class EngineSetupError(EngineError):
    """The engine or its model can't be used; found before the first reply."""


class ContextOverflow(EngineError):
    """The prompt and the reply it must leave room for do not fit the context window.

    ``needed`` and ``window`` are in tokens; ``None`` where the engine did not say.
    """

    def __init__(self, message: str, *, needed: int | None = None, window: int | None = None) -> None:
        super().__init__(message)
        self.needed = needed
        self.window = window


class ReplyFailed(EngineError):
    """One reply could not be had, by no doing of the model."""

    def __init__(self, kind: FailureKind, message: str, *, retryable: bool = False, hint: str = "") -> None:
        if kind not in get_args(FailureKind):
            raise ValueError(f"kind must be one of {', '.join(get_args(FailureKind))}, not {kind!r}")
        super().__init__(message, hint=hint)
        self.kind = kind
        self.retryable = retryable


class Interrupted(MultiturnError):
    """The user asked to stop; what was committed is kept."""

    exit_code = EXIT_INTERRUPTED
