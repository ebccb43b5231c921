"""Fetching: the way of one page, from its address to its bytes."""

import pytest
from web_sites import PUBLIC, Pieces, Sites, page, redirect

from personal_context.connectors.web.fetching import HOPS, LARGEST_PAGE, Fetcher
from personal_context.domain.errors import (
    InvalidInput,
    WebRefused,
    WebRejected,
    WebUnavailable,
    WebUnreadable,
)
from personal_context.domain.models import Validators

TIDES = "https://sea.example/tides"


def fetcher(sites, **more):
    return Fetcher(version="1.2.3", transport=sites, resolve=sites.resolve, **more)


async def fetched(answer, url=TIDES, **more):
    return await fetcher(Sites({url: answer})).fetch(url, **more)


async def test_a_page_is_fetched_as_it_is():
    sites = Sites({TIDES: page("<p>ho", headers={"etag": '"v1"', "last-modified": "Fri, 02 Jan"})})

    found = await fetcher(sites).fetch(f"  {TIDES}?day=1#noon ")

    assert (found.body, found.content_type) == (b"<p>ho", "text/html")
    assert str(found.url) == str(found.asked) == f"{TIDES}?day=1"
    assert found.validators == Validators('"v1"', "Fri, 02 Jan")
    [request] = [r for r in sites.asked if r.url.path != "/robots.txt"]
    assert request.headers["user-agent"] == "personal-context/1.2.3"
    assert "cookie" not in request.headers
    assert "authorization" not in request.headers


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed_to_the_page(status):
    sites = Sites(
        {
            "http://sea.example/": redirect("https://sea.example/a/b", status),
            "https://sea.example/a/b": redirect("../c?x=1", status),
            "https://sea.example/c": page("<p>here"),
        }
    )

    found = await fetcher(sites).fetch("http://sea.example/")

    assert str(found.url) == "https://sea.example/c?x=1"
    assert str(found.asked) == "http://sea.example/"


async def test_a_page_that_sends_its_readers_on_is_a_redirect():
    refresh = '<noscript><meta http-equiv="refresh" content="0;url=/js"></noscript>{}<p>moved'
    onward = "<META content=\"0; URL='/new?a=1&amp;b=2'\" http-equiv=Refresh>"
    sites = Sites({TIDES: page(refresh.format(onward)), "https://sea.example/new": page("<p>new")})

    found = await fetcher(sites).fetch(TIDES)

    assert str(found.url) == "https://sea.example/new?a=1&b=2"


@pytest.mark.parametrize("content", ["300", "300; url=/tides", "30;url=/other", "0; url=", "0;"])
async def test_a_page_that_renews_itself_is_a_page(content):
    found = await fetched(page(f'<meta http-equiv="refresh" content="{content}"><p>live'))

    assert b"live" in found.body


async def test_so_many_redirects_and_no_more():
    sites = Sites({f"https://sea.example/{n}": redirect(f"/{n + 1}") for n in range(9)})
    sites.answers[f"https://sea.example/{9 - HOPS + 5}"] = page()

    assert (await fetcher(sites).fetch(f"https://sea.example/{9 - HOPS}")).url.path == "/9"
    with pytest.raises(WebRefused, match="leads on and on"):
        await fetcher(sites).fetch(f"https://sea.example/{9 - HOPS - 1}")


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://inner.example/",
        "http://[::ffff:10.0.0.1]/",
        "http://2130706433/",
        "https://ann:secret@sea.example/",
        "file:///etc/passwd",
        "gopher://sea.example/",
    ],
)
@pytest.mark.parametrize("kind", ["header", "refresh"])
async def test_no_redirect_leads_out_of_bounds(target, kind):
    answer = redirect(target)
    if kind == "refresh":
        answer = page(f'<meta http-equiv="refresh" content="0; url={target}">')
    sites = Sites({TIDES: answer}, addresses={"inner.example": ["10.0.0.5"]})

    with pytest.raises(WebRefused):
        await fetcher(sites).fetch(TIDES)

    assert set(sites.connected) == {PUBLIC}


@pytest.mark.parametrize(
    "addresses",
    [["10.0.0.5"], [PUBLIC, "127.0.0.1"], ["::1"], ["fe80::1%eth0"], ["64:ff9b::a00:1"]],
)
async def test_a_name_that_leads_inside_is_refused_before_anything_is_sent(addresses):
    sites = Sites({TIDES: page()}, addresses={"sea.example": addresses})

    with pytest.raises(WebRefused, match=r"sea\.example is not fetched from") as caught:
        await fetcher(sites).fetch(TIDES)

    assert "PERSONAL_CONTEXT_WEB_ALLOW_PRIVATE" in caught.value.hint
    assert sites.connected == []


async def test_a_name_that_changes_its_answer_is_connected_to_what_was_checked():
    sites = Sites({TIDES: page()})
    turns = iter([[PUBLIC], ["127.0.0.1"], ["127.0.0.1"]])

    async def rebinding(*_):
        return next(turns)

    found = Fetcher(version="1", transport=sites, resolve=rebinding)
    await found.fetch(TIDES, obey_robots=False)

    assert sites.connected == [PUBLIC]


async def test_host_and_server_name_stay_those_of_the_name():
    sites = Sites({"https://sea.example:8443/x": page()})

    await fetcher(sites).fetch("https://sea.example:8443/x", obey_robots=False)

    [request] = sites.asked
    assert request.headers["host"] == "sea.example:8443"
    assert request.extensions["sni_hostname"] == "sea.example"
    assert sites.connected == [PUBLIC]


async def test_the_next_address_is_tried_when_one_is_down():
    sites = Sites({TIDES: page()}, addresses={"sea.example": ["2606:4700::1111", PUBLIC]})
    sites.down.add("2606:4700::1111")

    assert (await fetcher(sites).fetch(TIDES, obey_robots=False)).body
    assert sites.connected == ["2606:4700::1111", PUBLIC]


async def test_ones_own_network_needs_a_setting():
    sites = Sites({"http://wiki.lan/": page()}, addresses={"wiki.lan": ["192.168.1.7"]})

    with pytest.raises(WebRefused, match="private"):
        await fetcher(sites).fetch("http://wiki.lan/")

    assert (await fetcher(sites, allow_private=True).fetch("http://wiki.lan/")).body


async def test_metadata_of_a_cloud_needs_more_than_a_setting():
    sites = Sites(addresses={"x.example": ["169.254.169.254"]})

    with pytest.raises(WebRefused, match="metadata"):
        await fetcher(sites, allow_private=True).fetch("http://x.example/")

    assert sites.connected == []


async def test_nothing_is_carried_to_another_site_or_another_page():
    cookie = {"set-cookie": "session=1; Path=/"}
    there = redirect("/again")
    there.headers.update(cookie)
    sites = Sites(
        {
            TIDES: there,
            "https://sea.example/again": redirect("https://land.example/"),
            "https://land.example/": page(headers=cookie),
        }
    )
    one = fetcher(sites)

    await one.fetch(TIDES, obey_robots=False)
    await one.fetch("https://land.example/", obey_robots=False)

    assert [r.headers.get("cookie") for r in sites.asked] == [None, "session=1", None, None]


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (401, WebRejected, "asks for a login"),
        (403, WebRejected, "403 Forbidden"),
        (404, WebRejected, "There is no page"),
        (410, WebRejected, "any more"),
        (418, WebRejected, "418"),
        (204, WebRejected, "204"),
        (304, WebRejected, "304"),
        (302, WebRejected, "302"),
        (451, WebRejected, "by law"),
        (429, WebUnavailable, "in 30 seconds"),
        (500, WebUnavailable, "500"),
        (503, WebUnavailable, "in 30 seconds"),
        (599, WebUnavailable, "599"),
    ],
)
async def test_an_answer_without_a_page_says_why(status, kind, said):
    with pytest.raises(kind) as caught:
        await fetched(page("x", status=status, headers={"retry-after": "30"}))

    assert said in str(caught.value)
    assert caught.value.hint


async def test_a_site_for_browsers_only_is_told():
    with pytest.raises(WebRejected, match="browsers only"):
        await fetched(page("x", status=403, headers={"cf-mitigated": "challenge"}))


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        (b"<p>x", "text/html", "text/html"),
        (b"<p>x", "TEXT/HTML;charset=x", "text/html"),
        (b"<p>x", "text/html, text/html", "text/html"),
        (b"<p>x", "application/xhtml+xml", "application/xhtml+xml"),
        (b"# x", "text/markdown", "text/markdown"),
        (b"# x", "text/x-markdown", "text/x-markdown"),
        (b"x", "text/plain", "text/plain"),
        (b"\xef\xbb\xbf <!-- x --> <!DOCTYPE html><p>x", "", "text/html"),
        (b"just words", "", "text/plain"),
        (b"<p>x", "application/octet-stream", "text/plain"),
    ],
)
async def test_texts_are_read(body, content_type, kind):
    assert (await fetched(page(body, content_type))).content_type == kind


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/octet-stream"])
async def test_a_markdown_file_is_markdown_whatever_it_is_called(content_type):
    url = "https://sea.example/README.md"

    assert (await fetched(page("# x", content_type), url)).content_type == "text/markdown"


@pytest.mark.parametrize(
    ("body", "content_type", "said"),
    [
        (b"%PDF-1.7 x", "application/pdf", "is a PDF"),
        (b"%PDF-1.7 x", "text/html", "is a PDF"),
        (b"%PDF-1.7 x", "", "is a PDF"),
        (b"\x89PNG\r\n\x1a\n\0\0", "", "not a page of text"),
        (b"{}", "application/json", "application/json"),
        (b"x", "image/png", "image/png"),
        (b"x", "application/zip", "application/zip"),
        (b"\0\1\2", "text/plain", "not text"),
    ],
)
async def test_what_is_no_text_says_what_it_is(body, content_type, said):
    with pytest.raises(WebUnreadable, match=said) as caught:
        await fetched(page(body, content_type))

    assert "add it as a content" in caught.value.hint


async def test_what_is_not_read_is_not_even_downloaded():
    answer = page(b"x", "video/mp4")
    answer.stream = Pieces([b"x"] * 1000)

    with pytest.raises(WebUnreadable):
        await fetched(answer)

    assert answer.stream.taken == 0


async def test_a_page_that_says_it_is_too_large_is_not_begun():
    answer = page(headers={"content-length": str(LARGEST_PAGE + 1)})

    with pytest.raises(WebUnreadable, match="too large"):
        await fetched(answer)

    assert answer.stream.taken == 0


async def test_a_page_that_does_not_say_so_is_cut_off():
    answer = page()
    answer.stream = Pieces([b"x" * 1_000_000] * 100)

    with pytest.raises(WebUnreadable, match="10 MB"):
        await fetched(answer)

    assert answer.stream.taken == 11


async def test_a_site_that_takes_its_time_is_left():
    answer = page()
    answer.stream = Pieces([b"<p>"], hangs=True)
    sites = Sites({TIDES: answer})

    with pytest.raises(WebUnavailable, match="took too long"):
        await fetcher(sites, seconds=0.05).fetch(TIDES)


async def test_a_host_that_is_none_and_one_that_is_down():
    sites = Sites({TIDES: page()})
    sites.down.add(PUBLIC)

    with pytest.raises(WebUnavailable, match=r"no host 'nowhere\.example'"):
        await fetcher(sites).fetch("https://nowhere.example/")
    with pytest.raises(WebUnavailable, match="can't be reached"):
        await fetcher(sites).fetch(TIDES)


async def test_what_is_no_address_is_not_looked_up():
    sites = Sites()

    with pytest.raises(InvalidInput):
        await fetcher(sites).fetch("file:///etc/passwd")

    assert sites.resolved == []
