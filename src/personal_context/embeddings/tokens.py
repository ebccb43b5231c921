"""Count tokens with the tokenizer of the embedded model."""

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from personal_context.embeddings.windows import sendable

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
        with self._lock:
            tokenizer = self._tokenizer = self._tokenizer or load_tokenizer()
        encodings = tokenizer.encode_batch_fast(
            [sendable(text) for text in texts], add_special_tokens=False
        )
        return [len(encoding) for encoding in encodings]
