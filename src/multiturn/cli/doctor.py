"""The command that looks at one model: doctor."""

from __future__ import annotations

from typing import Annotated

import typer

import multiturn
from multiturn.cli import options as flags
from multiturn.cli.interrupts import run_until_done
from multiturn.cli.screen import OUT


def add_to(app: typer.Typer) -> None:
    """Register this file's command."""
    app.command()(doctor)


def doctor(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model spec, of any engine.")],
    ask: Annotated[
        bool, typer.Option("--ask/--no-ask", help="Also ask for a few short replies: seed, counts, truncation.")
    ] = True,
    template: flags.TemplateFlag = "model",
    context_window: flags.ContextWindow = None,
    dtype: flags.DtypeFlag = None,
    device: flags.Device = None,
    attention: flags.Attention = None,
    quantization: flags.QuantizationFlag = None,
    gpu_layers: flags.GpuLayers = 0,
    trust_remote_code: flags.RemoteCode = False,
    allow_pickle: flags.Pickle = False,
    timeout: flags.Timeout = flags.SERVER_FIRST.timeout,
    retries: flags.Retries = flags.SERVER_FIRST.retries,
    longest_wait: flags.LongestWait = flags.SERVER_FIRST.longest_wait,
) -> None:
    """Show what will really be sent to a model, and whether its template, stop tokens and defaults agree.

    Nothing is stored. WARNING marks what is worth mending before a comparison rests on it.
    """
    asked = flags.Asked(
        template=template,
        context_window=context_window,
        dtype=dtype,
        device=device,
        attention=attention,
        quantization=quantization,
        gpu_layers=gpu_layers,
        trust_remote_code=trust_remote_code,
        allow_pickle=allow_pickle,
        timeout=timeout,
        retries=retries,
        longest_wait=longest_wait,
    )
    arm = flags.arm(model, template=template)
    found = run_until_done(multiturn.api.aexamine(arm, asked.engine_options(), ask=ask))
    OUT.print(multiturn.api.examination_text(found))
