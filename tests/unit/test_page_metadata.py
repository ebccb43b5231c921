"""What a page says of itself: title, author, date, address; and pages that are no HTML."""

import json

import httpx
import pytest
from web_sites import Sites, page

from personal_context.connectors.web.fetching import Fetched, Fetcher
from personal_context.connectors.web.reading import read_html, read_page
from personal_context.domain.errors import WebUnreadable

URL = httpx.URL("https://www.sea.example/guide/tides?page=2")
PROSE = "<p>The tide turns at noon, and the harbour fills until the evening.</p>"


PEOPLE = [{"@type": "Person", "name": "Ann"}, {"name": "Bo"}]
BY_ANN = {"author": "Ann", "datePublished": "2026-01-02T03:04:05Z"}


def linked(data):
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


def read(head="", body=PROSE):
    return read_html(f"<html><head>{head}</head><body>{body}</body></html>", URL)


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title> High\n water </title>", "<h1>Tides</h1>", "High water"),
        ("<title>A &amp; B</title>", "", "A & B"),
        ("<title></title><meta property=og:title content='On tides'>", "<h1>x</h1>", "On tides"),
        ("<meta name=og:title content='On tides'>", "<h1>x</h1>", "On tides"),
        ("", "<h1>The <b>tides</b></h1><h1>x</h1>", "The tides"),
        ("", "<svg><title>icon</title></svg><h1>Tides</h1>", "Tides"),
        ("", "<h2>x</h2>", "Untitled"),
        ("<title>\u202eTi\u200bdes</title>", "", "Ti des"),
    ],
)
def test_the_title_is_the_first_that_the_page_gives(head, body, title):
    assert read(head, body + PROSE).title == title


@pytest.mark.parametrize(
    ("link", "canonical"),
    [
        (
            "<link rel=canonical href=/guide/tides?page=2#x>",
            "https://www.sea.example/guide/tides?page=2",
        ),
        (
            "<link rel=canonical href=https://sea.example/guide/tides>",
            "https://sea.example/guide/tides",
        ),
        ("<link rel=canonical href='/t?utm_source=x'>", "https://www.sea.example/t"),
        ("<meta property=og:url content=https://sea.example/t>", "https://sea.example/t"),
        ("<link rel=canonical href=https://evil.example/t>", None),
        ("<link rel=canonical href=https://ann:secret@sea.example/t>", None),
        ("<link rel=canonical href=javascript:x>", None),
        ("<link rel=canonical href=''>", None),
        ("", None),
    ],
)
def test_a_page_names_itself_but_nobody_else(link, canonical):
    assert read(link).canonical == canonical


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("<meta name=author content='By Ann Lee'>", {"author": "Ann Lee"}),
        (
            "<meta property=article:author content=https://fb.example/ann>"
            + linked({"@type": "NewsArticle", "author": PEOPLE, "datePublished": "2026-01-02"}),
            {"author": "Ann, Bo", "published": "2026-01-02"},
        ),
        (
            linked({"@graph": [{"@type": "WebSite"}, {"@type": ["Article"], **BY_ANN}]}),
            {"author": "Ann", "published": "2026-01-02T03:04:05+00:00"},
        ),
        (
            "<meta property=article:published_time content=2026-01-02T03:04:05+01:00>",
            {"published": "2026-01-02T03:04:05+01:00"},
        ),
        ("<meta name=date content=2026/01/02>", {"published": "2026-01-02"}),
        ("<meta name=date content='next week'>", {}),
        ("<meta property=og:site_name content='Sea &amp; Son'>", {"site": "Sea & Son"}),
        ("<script type=application/ld+json>{not json</script>", {}),
        ('<script type=application/ld+json>[1, null, {"@type": 3}]</script>', {}),
        ("<script type=application/ld+json>" + "[" * 9_000 + "</script>", {}),
    ],
)
def test_a_page_tells_its_author_and_its_day(head, said):
    assert read(head).about == said


def test_author_and_day_may_stand_in_the_text():
    body = "<a rel=author href=/ann>Ann</a><time class=published datetime=2026-01-02>then</time>"

    assert read("", body + PROSE).about == {"author": "Ann", "published": "2026-01-02"}


def test_what_a_page_says_of_itself_is_kept_short():
    about = read(f"<meta name=author content='{'x' * 5000}'>").about

    assert len(json.dumps(about)) < 400


def fetched(body, content_type="text/plain", url="https://sea.example/notes/tides.txt"):
    return Fetched(httpx.URL(url), httpx.URL(url), content_type, content_type, body)


def test_plain_text_is_taken_as_it_is():
    found = read_page(fetched(b"  <b>High</b> at *noon*\n\n\n- low\t_at_ six \n"))

    assert found.text == "  <b>High</b> at *noon*\n\n\n- low\t_at_ six \n"
    assert found.title == "tides.txt"
    assert found.address == "https://sea.example/notes/tides.txt"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# High *water* #\n\nx", "High *water*"),
        ("```sh\n# not this\n```\n\n# But this", "But this"),
        ("no heading\n\n## low", "Untitled"),
    ],
)
def test_markdown_is_taken_as_it_is_and_named_by_its_heading(text, title):
    found = read_page(fetched(text.encode(), "text/markdown"))

    assert (found.text, found.title) == (text, title)


@pytest.mark.parametrize("body", [b"", b" \n", b"<html><body><script>app()</script><div id=root>"])
def test_a_page_without_text_is_none(body):
    with pytest.raises(WebUnreadable, match="no text"):
        read_page(fetched(body, "text/html"))


async def test_a_page_goes_by_where_it_was_found_and_what_was_asked_for():
    body = "<title>Полная вода</title><p>Полная вода будет точно в полдень."
    sites = Sites(
        {
            "https://sea.example/t": page(
                "x", status=301, headers={"location": "/tides?utm_source=y&n=1#z"}
            ),
            "https://sea.example/tides": page(
                body.encode("cp1251"), "text/html; charset=windows-1251", headers={"etag": '"1"'}
            ),
        }
    )
    fetcher = Fetcher(version="1", transport=sites, resolve=sites.resolve)

    found = read_page(await fetcher.fetch("https://sea.example/t"))

    assert found.address == "https://sea.example/tides?n=1"
    assert found.addresses == ("https://sea.example/tides?n=1", "https://sea.example/t")
    assert found.title == "Полная вода"
    assert found.text == "Полная вода будет точно в полдень."
    assert found.validators.etag == '"1"'
