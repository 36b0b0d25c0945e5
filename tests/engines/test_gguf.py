"""Reading what a GGUF file says of itself, and refusing what is none."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from multiturn.engines.gguf import file_digest, read_header
from multiturn.errors import EngineSetupError, NotFound

U32, I32, F32, BOOL, STRING, ARRAY, U64 = 4, 5, 6, 7, 8, 9, 10


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key: str, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def texts(*values: str) -> bytes:
    return struct.pack("<IQ", STRING, len(values)) + b"".join(map(text, values))


def write(path: Path, *pairs: bytes, version: int = 3) -> Path:
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", version, 0, len(pairs)) + b"".join(pairs))
    return path


def small(path: Path) -> Path:
    return write(
        path,
        pair("general.architecture", STRING, text("llama")),
        pair("llama.context_length", U32, struct.pack("<I", 4096)),
        pair("tokenizer.ggml.model", STRING, text("gpt2")),
        pair("tokenizer.ggml.tokens", ARRAY, texts("<s>", "</s>", "hi", "<|end_of_turn|>")),
        pair("tokenizer.ggml.token_type", ARRAY, struct.pack("<IQ4i", I32, 4, 3, 3, 1, 3)),
        pair("tokenizer.ggml.bos_token_id", U32, struct.pack("<I", 0)),
        pair("tokenizer.ggml.eos_token_id", U32, struct.pack("<I", 99)),
        pair("tokenizer.ggml.add_bos_token", BOOL, struct.pack("<?", True)),  # noqa: FBT003 - a packed value
        pair("general.size", U64, struct.pack("<Q", 2**40)),
        pair("llama.rope.freq_base", F32, struct.pack("<f", 0.5)),
    )


def test_the_facts_of_a_model(tmp_path: Path) -> None:
    """Window, template, control tokens (longest first, so that none hides another), BOS."""
    header = read_header(small(tmp_path / "m.gguf"))
    assert header.architecture == "llama"
    assert header.context_length == 4096
    assert header.chat_template is None
    assert header.control_ids == {"<|end_of_turn|>": 3, "</s>": 1, "<s>": 0}
    assert header.token("bos") == "<s>"
    assert header.adds_bos
    assert not header.is_adapter
    assert header.number("general.size") == 2**40
    assert header.values["llama.rope.freq_base"] == 0.5


def test_a_token_id_beyond_the_vocabulary_is_no_token(tmp_path: Path) -> None:
    """Converted models sometimes name one."""
    assert read_header(small(tmp_path / "m.gguf")).token("eos") is None


def test_without_a_statement_only_sentencepiece_models_add_bos(tmp_path: Path) -> None:
    """As llama.cpp decides it."""
    bpe = write(tmp_path / "bpe.gguf", pair("tokenizer.ggml.model", STRING, text("gpt2")))
    spm = write(tmp_path / "spm.gguf", pair("tokenizer.ggml.model", STRING, text("llama")))
    assert not read_header(bpe).adds_bos
    assert read_header(spm).adds_bos


def test_a_file_that_is_not_there_is_told_with_its_neighbours(tmp_path: Path) -> None:
    """The next thing to type is near."""
    small(tmp_path / "model-q4.gguf")
    with pytest.raises(NotFound) as caught:
        read_header(tmp_path / "model.gguf")
    assert "model.gguf" in caught.value.message
    assert "model-q4.gguf" in caught.value.hint


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GG",
        b"not a model at all, but long enough to be read as one",
        b"GGUF" + struct.pack("<IQQ", 1, 0, 0),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**50),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("key") + struct.pack("<I", 77),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("key") + struct.pack("<IIQ", ARRAY, I32, 2**62),
    ],
)
def test_what_is_no_gguf_file_is_refused_in_words(tmp_path: Path, data: bytes) -> None:
    """Never a crash, never a hang, never a huge allocation."""
    path = tmp_path / "broken.gguf"
    path.write_bytes(data)
    with pytest.raises(EngineSetupError) as caught:
        read_header(path)
    assert "broken.gguf" in caught.value.message
    assert caught.value.hint


def test_every_cut_of_a_good_file_is_refused_in_words(tmp_path: Path) -> None:
    """A download that broke off anywhere in the header."""
    whole = small(tmp_path / "m.gguf").read_bytes()
    path = tmp_path / "cut.gguf"
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with pytest.raises(EngineSetupError):
            read_header(path)


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    """It is told as one."""
    with pytest.raises(EngineSetupError, match="folder"):
        read_header(tmp_path)


def test_the_digest_follows_the_bytes(tmp_path: Path) -> None:
    """A copy has the same, another file another."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"weights")
    two.write_bytes(b"weights")
    assert file_digest(one) == file_digest(two)
    two.write_bytes(b"other")
    assert file_digest(one) != file_digest(two)
