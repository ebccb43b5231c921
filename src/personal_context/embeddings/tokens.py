"""Count tokens with the tokenizer of the embedded model."""

from collections.abc import Sequence
from math import ceil
from threading import Lock
from typing import TYPE_CHECKING

from personal_context.embeddings.windows import BYTES_PER_TOKEN, sendable

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def load_tokenizer() -> "Tokenizer":
    """Read the embedded model's tokenizer, without its truncation and padding (20 ms)."""
    from tokenizers import Tokenizer

    from personal_context_minilm import tokenizer_path

    tokenizer = Tokenizer.from_file(str(tokenizer_path()))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class MiniLMTokenCounter:
    """Counts tokens as the embedded model sees them; see ports.TokenCounter.

    The tokenizer is read at the first call. Threads may share one counter.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._tokenizer: Tokenizer | None = None

    def __call__(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the tokens of each text, in order, without [CLS] and [SEP]."""
        encodings = self._loaded().encode_batch_fast(
            [sendable(text) for text in texts], add_special_tokens=False
        )
        return [len(encoding) for encoding in encodings]

    def _loaded(self) -> "Tokenizer":
        with self._lock:
            self._tokenizer = self._tokenizer or load_tokenizer()
            return self._tokenizer


class PromptTokenCounter(MiniLMTokenCounter):
    """Counts the tokens that a text takes of a model's window; see ports.TokenCounter.

    The tokenizer of the embedded model stands for those of large models. Beside cl100k and o200k it
    counts 10 % more for English prose, up to 20 % more for code. It sees emoji, and words of over
    100 characters, as one unknown token where theirs fall back to bytes; so does this count.
    """

    def __call__(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the tokens of each text, in order."""
        tokenizer = self._loaded()
        encodings = tokenizer.encode_batch(
            [sendable(text) for text in texts], add_special_tokens=False
        )
        unknown = tokenizer.token_to_id("[UNK]")
        return [
            len(encoding)
            + sum(
                ceil(len(sendable(text[start:end]).encode()) / BYTES_PER_TOKEN) - 1
                for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True)
                if token == unknown
            )
            for text, encoding in zip(texts, encodings, strict=True)
        ]
