"""all-MiniLM-L6-v2 as one int8 ONNX file, with its tokenizer: data only, no code that runs."""

from pathlib import Path

NAME = "all-MiniLM-L6-v2-int8"
"""Names the vectors: another quantisation makes other ones."""

DIMENSION = 384
"""Length of a vector."""

MAX_TOKENS = 256
"""Longest input that the model was trained for, with its two special tokens [CLS] and [SEP]."""

MODEL_SHA256 = "12908524cb94f9977111ae91882d26c89e25bc69e72bd56274f9d2751694c102"
"""SHA-256 hex of `model.onnx`."""

TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
"""SHA-256 hex of `tokenizer.json`."""


def model_path() -> Path:
    """Return where `model.onnx` lies: inputs input_ids and attention_mask, int64 [batch, tokens].

    Its output last_hidden_state is float32 [batch, tokens, 384].
    """
    return _path("model.onnx")


def tokenizer_path() -> Path:
    """Return where `tokenizer.json` lies; the library `tokenizers` reads it."""
    return _path("tokenizer.json")


def _path(name: str) -> Path:
    # Loading importlib.resources takes longer than all the rest here, and only the path needs it.
    from importlib.resources import files

    # A wheel is always unpacked before it is imported, so a resource is a real file.
    return Path(str(files(__package__).joinpath(name)))
