"""Numbers, times, addresses and marked words."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings, strategies as st

from personal_context.search.query import plain_query
from personal_context.web.highlight import marked
from personal_context.web.humanize import ago, duration, percent, plural, safe_url, utc_title
from personal_context.web.preview import skimmed

NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "just now"),
        (44, "just now"),
        (45, "1 minute ago"),
        (119, "1 minute ago"),
        (120, "2 minutes ago"),
        (3_599, "59 minutes ago"),
        (3_600, "1 hour ago"),
        (86_400, "1 day ago"),
        (40 * 86_400, "1 month ago"),
        (800 * 86_400, "2 years ago"),
        (-10, "in a moment"),
        (-300, "in 5 minutes"),
    ],
)
def test_times_are_told_as_people_do(seconds, said):
    assert ago(NOW - timedelta(seconds=seconds), NOW) == said


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_any_two_moments_can_be_told(then, now):
    assert ago(then, now)
    assert utc_title(then).endswith("UTC")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "1 s"),
        (59.4, "59 s"),
        (60, "1 min"),
        (3_599, "1 h"),
        (7_800, "2 h 10 min"),
        (360_000, "100 h"),
    ],
)
def test_lengths_of_time(seconds, said):
    assert duration(seconds) == said


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_hundred_percent_is_said_only_when_it_is_true(done, total):
    assert 0 <= percent(done, total) <= 100
    assert (percent(done, total) == 100) == (done >= total)


def test_one_of_a_thing_is_singular():
    assert plural(1, "document") == "1 document"
    assert plural(1200, "document") == "1,200 documents"
    assert plural(2, "entry", "entries") == "2 entries"


@given(st.text())
def test_no_other_scheme_becomes_a_link(text):
    assert safe_url(text) is None or text.strip().lower().startswith("http")


def test_web_addresses_become_links():
    assert safe_url("https://wiki.example/doc/x-1?q=1#y") == "https://wiki.example/doc/x-1?q=1#y"
    assert safe_url("HTTP://wiki.example") == "HTTP://wiki.example"


@settings(deadline=None)
@given(st.text(), st.text())
def test_marking_never_changes_a_text(text, query):
    terms = plain_query(query).terms
    assert "".join(piece for piece, _ in marked(text, terms)) == text


@pytest.mark.parametrize(
    ("text", "query", "words"),
    [
        ("Backups and a backup", "backup", ["Backups", "backup"]),
        ("unbacked", "backed", []),
        ("Größe und GRÖSSE", "größe", ["Größe", "GRÖSSE"]),
        ("(a+b) * c", "(a+b)", ["a+b"]),
        ("顧客の認証", "認証", ["認証"]),
        ("the restore", "the restore restore", ["restore"]),
        ("anything", "", []),
        ("There is the WAL of it", "the WAL of it", ["WAL"]),
        ("of it", "of it", ["of", "it"]),
    ],
)
def test_typed_words_are_marked(text, query, words):
    terms = plain_query(query).terms
    assert [piece for piece, is_word in marked(text, terms) if is_word] == words


@pytest.mark.parametrize(
    ("markdown", "seen"),
    [
        ("## Restore\n\nStop the **writers**.", "Stop the writers."),
        ("## Another\n\nText", "Another\nText"),
        (
            'Run `ballast stop`, see [the manual](/doc/x-1 "t").',
            "Run ballast stop, see the manual.",
        ),
        ("![a picture](/a(1).png)", "a picture"),
        ("* one\n- [ ] two\n+ [x] three", "• one\n☐ two\n☑ three"),
        ("| a | b |\n|---|:-:|\n| 1 | **2** |", "a · b\n1 · 2"),
        ("2 ** 3 and a_b_c stay", "2 ** 3 and a_b_c stay"),
        ("~~gone~~ [not a link] (x)", "gone [not a link] (x)"),
        ("", ""),
    ],
)
def test_a_preview_is_skimmed_without_its_marks(markdown, seen):
    assert skimmed(markdown, ["Backups", "Restore"]) == seen


@given(st.text(alphabet="#*_~`[]()!| -\nab", max_size=500))
def test_any_text_can_be_skimmed(text):
    letters = [c for c in skimmed(text) if c in "ab"]
    assert len(letters) <= len([c for c in text if c in "ab"])
