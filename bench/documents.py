"""Documents that look like a wiki's, the same in every run: no text of anybody's is needed.

The words are the embedded model's own, drawn as often as words are in a language (Zipf), so that
tokens, sections and posting lists have the sizes that they have with real text.
"""

import json
from itertools import accumulate
from pathlib import Path
from random import Random

import personal_context_minilm

VOCABULARY = 8_000
COMPOUNDS = 0.12
"""Share of words made of two: real text has about 1.2 tokens a word, and rare words."""


class Writer:
    """Writes words, sentences and Markdown documents."""

    def __init__(self, seed: int = 1) -> None:
        folder = Path(personal_context_minilm.__file__).parent
        tokens = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
        words = [
            token for token in tokens if len(token) > 1 and token.isascii() and token.isalpha()
        ]
        self._words = words[:VOCABULARY]
        self._weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(self._words))))
        self._random = Random(seed)

    def words(self, count: int) -> list[str]:
        drawn = self._random.choices(self._words, cum_weights=self._weights, k=count)
        return [
            word + self._random.choice(self._words) if self._random.random() < COMPOUNDS else word
            for word in drawn
        ]

    def title(self) -> str:
        return " ".join(self.words(self._random.randint(2, 5))).capitalize()[:100]

    def sentence(self) -> str:
        return " ".join(self.words(self._random.randint(7, 18))).capitalize() + "."

    def paragraph(self) -> str:
        return " ".join(self.sentence() for _ in range(self._random.randint(2, 6)))

    def document(self, links: list[str]) -> str:
        """Return 200 to 800 words of Markdown: headings, lists, code, links to some of `links`."""
        parts = [self.paragraph()]
        for _ in range(self._random.randint(2, 7)):
            parts += [
                f"{self._random.choice(['##', '##', '###'])} {self.title()}",
                self.paragraph(),
            ]
            match self._random.randrange(6):
                case 0:
                    parts.append("\n".join(f"* {self.sentence()}" for _ in range(4)))
                case 1:
                    code = "\n".join(f"{a} = {b}({c})" for a, b, c in [self.words(3)] * 4)
                    parts.append(f"```python\n{code}\n```")
                case 2 if links:
                    parts.append(f"See [{self.title()}]({self._random.choice(links)}) for more.")
                case _:
                    parts.append(self.paragraph())
        return "\n\n".join(parts)

    def pick(self, count: int) -> int:
        return self._random.randrange(count)
