"""How many tokens a text takes of a model's window."""

import pytest

from personal_context.embeddings.tokens import MiniLMTokenCounter, PromptTokenCounter

count = PromptTokenCounter()


def test_known_words_count_as_the_embedded_model_counts_them():
    texts = ["The quick brown fox.", "", "def f(x):\n    return x", "\u65e5\u672c"]

    assert count(texts) == MiniLMTokenCounter()(texts)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("x" * 1000, 500), ("\U0001f600", 2), ("a \U0001f600 b", 4), ("half \ud800", 2)],
)
def test_what_is_unknown_counts_by_its_bytes(text, tokens):
    assert count([text]) == [tokens]


def test_lines_can_be_counted_one_by_one():
    text = "One line, and\n  another\n\n```py\nx = 'y'\n```\n\U0001f600" + "z" * 300

    assert sum(count(text.split("\n"))) == count([text])[0]
