"""What is asked of an engine when it is opened, and what is true of it then. Pure values, beside the seams."""

from __future__ import annotations

from typing import Literal

import msgspec

Dtype = Literal["float32", "bfloat16", "float16"]
Quantization = Literal["8bit", "4bit"]


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What is true of an engine with its model, found before the first reply and kept in the run's record.

    ``context_window`` is in tokens, for one conversation; None if unknown. ``open_conversations`` is how many the
    engine can keep warm at once. ``reproducible`` promises: same request history and seed, same text, whatever the
    order and the number of other conversations. ``replays`` asks that an interrupted conversation be held again from
    its first turn, since only then that promise holds. ``seeds`` says whether the seed decides the text; None where
    nobody knows before asking (``multiturn doctor`` asks). ``thinks`` says that the template knows of reasoning,
    ``keeps_reasoning`` that it wants the reasoning of earlier replies back. ``identity`` is what decides the texts
    (weights, adapter, template, version, arithmetic): two runs whose identities are equal had the same model.
    ``notes`` are for people.
    """

    context_window: int | None
    open_conversations: int
    identity: dict[str, str]
    system_role: bool
    template_sha256: str = ""
    fallback_template: bool = False
    thinks: bool = False
    keeps_reasoning: bool = False
    reproducible: bool = False
    replays: bool = False
    seeds: bool | None = True
    logprobs: bool = False
    json_schema: bool = False
    notes: tuple[str, ...] = ()


class WeightOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How weights are loaded by engines that load them with torch; None leaves the choice to the engine.

    ``dtype`` None is float32 on a CPU and bfloat16 on a GPU, whatever the model's folder says, so that both arms of a
    comparison have the same. ``device`` is torch's name (``cpu``, ``cuda:0``) or ``auto``. ``attention`` is what
    transformers calls ``attn_implementation``. ``remote_code`` runs Python that lies in a model's folder, ``pickle``
    loads weights that may run code when they are read: both only when asked for by name, and recorded.
    """

    dtype: Dtype | None = None
    device: str | None = None
    attention: str | None = None
    quantization: Quantization | None = None
    remote_code: bool = False
    pickle: bool = False


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How servers are asked.

    ``timeout`` is in seconds for one try of one reply; ``retries`` counts tries after the first; ``longest_wait`` is in
    seconds, the most that is waited between two tries, whatever a server asks for.
    """

    timeout: float = 300.0
    retries: int = 5
    longest_wait: float = 60.0


class EngineOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a user may ask of any engine when it is opened; None leaves the choice to the engine.

    ``context_window`` is in tokens. ``workers`` is how many conversations are held at once, each by itself; ``slots``
    asks for continuous batching instead, where an engine has it. ``template`` is a policy: ``model`` (the model's own
    chat template), ``plain``, or anything else for the Jinja template in ``template_source``. ``reproducible`` True
    refuses an arrangement that can't keep the promise of ``Facts.reproducible``.
    """

    context_window: int | None = None
    workers: int | None = None
    slots: int | None = None
    threads: int | None = None
    gpu_layers: int = 0
    template: str = "model"
    template_source: str | None = None
    reproducible: bool = False
    weights: WeightOptions = WeightOptions()
    server: ServerOptions = ServerOptions()


class Inspection(msgspec.Struct, frozen=True, kw_only=True):
    """What a model brings with it, for people: what ``multiturn doctor`` shows beside the prompt itself.

    ``template`` is the Jinja source in use, None where a server renders and does not show it. ``control_tokens`` are
    texts that are one token in a prompt; ``bos`` is the one that begins a text. ``stops`` are the tokens and strings
    that end a reply, by who names them (``tokenizer``, ``generation_config``, ``template`` ...), and ``in_use`` those
    that end a reply here. ``overridden`` are sampling fields that the model's folder or the server would set by itself,
    with their values: none of them reaches a reply. ``warnings`` name a fault and the next thing to do, ``remarks`` are
    only worth knowing.
    """

    template: str | None
    control_tokens: tuple[str, ...] = ()
    bos: str | None = None
    stops: dict[str, tuple[str, ...]] = {}
    in_use: tuple[str, ...] = ()
    overridden: dict[str, str] = {}
    warnings: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class Unknown(msgspec.Struct, frozen=True):
    """The engine can't say what it will send; the reason is for the record."""

    reason: str
