"""What a model spec is called where its folders are left out."""

from __future__ import annotations

import pytest

from multiturn.text.spec_names import short_spec


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("scripted:echo", "scripted:echo"),
        ("demo:base", "demo:base"),
        ("llamacpp:/far/away/m.gguf", "llamacpp:m.gguf"),
        ("llamacpp:/far/m.gguf+lora=/near/a.gguf", "llamacpp:m.gguf+lora=a.gguf"),
        ("/far/away/m.gguf", "m.gguf"),
        ("far/m.gguf", "m.gguf"),
        ("./runs/m.gguf+lora=out/a.gguf", "m.gguf+lora=a.gguf"),
        ("outputs/my_model/", "my_model"),
        ("hf:org/base+lora=outputs/adapter/", "hf:base+lora=adapter"),
        ("openai:org/model@http://127.0.0.1:8000/v1", "openai:org/model@127.0.0.1:8000"),
        (r"llamacpp:C:\far\away\m.gguf", "llamacpp:m.gguf"),
        (r"C:\far\m.gguf+lora=D:\near\a.gguf", "m.gguf+lora=a.gguf"),
        ("C:/far/m.gguf", "m.gguf"),
        (r"..\far\my_model" + "\\", "my_model"),
        ("ollama:llama3.2:3b", "ollama:llama3.2:3b"),
    ],
)
def test_the_last_part_of_each_path_is_left(spec: str, expected: str) -> None:
    assert short_spec(spec) == expected
