"""Blanks in prompts, and the names of prompts."""

from builders import content
from hypothesis import given, strategies as st

from personal_context.content.placeholders import blanks, filled, prompt_names


@given(st.text(alphabet="{}ab _\n|*\\", max_size=60))
def test_what_is_named_can_be_filled_in(text):
    names = blanks(text)

    assert len(names) == len(set(names))
    assert blanks(filled(text, dict.fromkeys(names, "x"))) == []


def test_a_value_is_not_read_again():
    assert filled("{{a}} {{b}}", {"a": "{{b}}", "b": "2"}) == "{{b}} 2"


def test_prompts_are_called_by_their_titles():
    titles = ["Code review", "code REVIEW!", "\u65e5\u8a18", "R\u00e9sum\u00e9", ""]
    named = prompt_names([content(number, title) for number, title in enumerate(titles, 1)])

    assert list(named) == [
        "code-review",
        "code-review-2",
        "prompt-url0000003",
        "resume",
        "prompt-url0000005",
    ]
