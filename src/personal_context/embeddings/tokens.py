"""Count tokens with the tokenizer of the embedded model."""

import re
from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from threading import Lock
from typing import TYPE_CHECKING

from personal_context.embeddings.windows import BYTES_PER_TOKEN, sendable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# What the tokenizer drops before it looks for words, and what it takes for words of its own.
_CONTROL = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SPECIAL = re.compile(r"\[(?:PAD|UNK|CLS|SEP|MASK)\]")
_PARTS = re.compile(r"[A-Za-z0-9]+|[!-/:-@\[-`{-~]")

_KNOWN_WORDS = 20_000
"""Words whose tokens are remembered: all but a few hundredths of those of a wiki, in some 3 MB."""


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
        self._pieces = lru_cache(maxsize=_KNOWN_WORDS)(self._pieces_of)

    def __call__(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the tokens of each text, in order, without [CLS] and [SEP]."""
        tokenizer = self._loaded()
        counts = [self._plain(text) if _is_plain(text) else None for text in texts]
        others = [sendable(text) for text, n in zip(texts, counts, strict=True) if n is None]
        encoded = tokenizer.encode_batch_fast(others, add_special_tokens=False) if others else []
        lengths = map(len, encoded)
        return [next(lengths) if count is None else count for count in counts]

    def _plain(self, text: str) -> int:
        """Count a text of words and signs: the tokens of its words, and one for each sign.

        That is all that the tokenizer does with it, and takes a third of the time.
        """
        parts = _PARTS.findall(text)
        words = [part for part in parts if len(part) > 1]
        return len(parts) - len(words) + sum(map(self._pieces, words))

    def _pieces_of(self, word: str) -> int:
        return len(self._loaded().model.tokenize(word.lower()))

    def _loaded(self) -> "Tokenizer":
        with self._lock:
            self._tokenizer = self._tokenizer or load_tokenizer()
            return self._tokenizer


def _is_plain(text: str) -> bool:
    """Tell whether the tokenizer sees nothing but words and signs in a text."""
    if not text.isascii() or _CONTROL.search(text):
        return False
    return not ("[" in text and _SPECIAL.search(text))


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
