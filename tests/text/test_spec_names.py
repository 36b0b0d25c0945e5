"""What a model spec is called where its folders are left out."""

from __future__ import annotations

import pytest

from multiturn.text.spec_names import short_spec


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("llamacpp:/home/me/model.gguf+lora=/home/me/adapter.gguf", "llamacpp:model.gguf+lora=adapter.gguf"),
        ("outputs/your_finetuned_model/", "your_finetuned_model"),
        ("hf:org/name", "hf:name"),
        ("openai:llama@http://127.0.0.1:8000/v1", "openai:llama@127.0.0.1:8000"),
        ("demo:base", "demo:base"),
    ],
)
def test_the_last_part_of_each_path_is_left(spec: str, expected: str) -> None:
    assert short_spec(spec) == expected
