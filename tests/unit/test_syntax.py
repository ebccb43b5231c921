from datetime import UTC, datetime

import pytest
from hypothesis import given, settings, strategies as st

from personal_context.search.syntax import Typed, take_apart

SOURCES = {"outline": 1, "note": 2, "web": 3}


def taken(typed):
    return take_apart(typed, sources=SOURCES)


def test_every_form_at_once():
    assert taken(
        'How "do we" title:Deploy title:"On call" tag:#ops tag:"two words" collection:"Eng Wiki"'
        ' source:Note after:2026-01-15 before:2026-03 -draft -"old stuff" v2?'
    ) == Typed(
        text="How do we Deploy On call v2?",
        quoted=["do we"],
        excluded=["draft", "old stuff"],
        titled=["Deploy", "On call"],
        tags=["ops", "two words"],
        collections=["Eng Wiki"],
        sources=["note"],
        after=datetime(2026, 1, 15, tzinfo=UTC),
        before=datetime(2026, 3, 1, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    "typed",
    [
        "source:code",
        "after:yesterday",
        "before:2026-13-01",
        "after:0000",
        "ls -l",
        "-5 degrees",
        "--force",
        "write-back",
        "a - b",
        "http://tag:x",
        "subtitle:x",
        "tag:",
        "x tag: y",
    ],
)
def test_what_makes_no_sense_is_text(typed):
    assert taken(typed) == Typed(text=typed)


def test_a_quote_without_an_end_is_text():
    assert taken('say "hello').text == "say hello"
    assert taken('say "hello').quoted == []


def test_quotes_may_be_set_as_a_phone_sets_them():
    assert taken("“on call” „wer ist dran“").quoted == ["on call", "wer ist dran"]


@settings(deadline=None)
@given(st.text(st.sampled_from('ab -":“ttag:itle after2026-0') | st.characters(), max_size=60))
def test_nothing_that_is_typed_gets_lost(typed):
    found = taken(typed)
    kept = " ".join(
        [found.text, *found.excluded, *found.tags, *found.collections, *found.sources]
    ).casefold()
    for word in typed.casefold().replace('"', " ").split():
        letters = word.rpartition(":")[2].strip("-#“”„‟")
        assert not letters or letters in kept or letters[:1].isdigit()
