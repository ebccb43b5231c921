"""Pages and addresses that mean harm: nothing of them is kept, and the error says why."""

import gzip

import pytest
from local_site import Page, local_site
from loop_watch import watched_loop
from product import opened_product
from web_sites import PUBLIC, Sites, page as answer

from personal_context.connectors.web.fetching import Fetcher
from personal_context.connectors.web.reading import read_page
from personal_context.content.from_web import NewPage, PageOutcome
from personal_context.domain.errors import (
    InvalidInput,
    WebError,
    WebRefused,
    WebRejected,
    WebUnavailable,
    WebUnreadable,
)

WORDS = "<p>High water comes at noon, and the harbour is full of boats by then.</p>"


@pytest.fixture
def site():
    with local_site() as site:
        site.write("/tides", "Tide tables", WORDS)
        yield site


@pytest.fixture
async def product(tmp_path):
    async with opened_product(tmp_path, web_allow_private=True) as product:
        yield product
        if not getattr(product, "keeps", False):
            assert (await product.runtime.store.counts()).contents == 0


@pytest.fixture
async def guarded(tmp_path):
    async with opened_product(tmp_path) as product:
        yield product
        assert (await product.runtime.store.counts()).contents == 0


async def add(product, url, **more):
    return await product.runtime.pages.add(NewPage(url, **more))


async def kept(product, url, **more):
    product.keeps = True
    found = await add(product, url, **more)
    return (await product.runtime.contents.get(found.content.content.id)).content


# --- addresses, with the guard on


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "localhost", "localhost.", "LOCALHOST", "[::1]", "[::ffff:127.0.0.1]",
        "0.0.0.0", "[::]", "127.1", "2130706433", "0177.0.0.1", "0x7f.1", "0x7f000001",
        "[::ffff:7f00:1]", "127.0.0.1.", "ⓛocalhost",
    ],
)  # fmt: skip
async def test_this_machine_is_not_fetched_from_by_any_of_its_names(guarded, site, host):
    with pytest.raises((WebRefused, InvalidInput, WebUnavailable)) as caught:
        await add(guarded, site.url("/tides", host))

    assert site.asked == []
    assert caught.value.cause


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:169.254.169.254]/",
        "http://[fd00:ec2::254]/latest/meta-data/",
        "http://0.0.0.0/",
        "http://224.0.0.1/",
    ],
)
async def test_metadata_services_stay_refused_also_in_a_network_of_ones_own(product, url):
    with pytest.raises(WebRefused):
        await add(product, url)


@pytest.mark.parametrize("url", ["ftp://a.example/x", "file:///etc/passwd", "data:,x", "", "tides"])
async def test_what_is_no_web_address_is_bad_input(product, url):
    with pytest.raises(InvalidInput):
        await add(product, url)


async def test_a_redirect_into_ones_own_network_is_refused(site):
    with local_site() as inner:
        inner.write("/", "Inner", WORDS)
        sites = Sites({"https://sea.example/": answer(status=302, headers={
            "location": inner.url("/", "inner.example")
        })}, addresses={"inner.example": ["127.0.0.1"]})  # fmt: skip
        fetcher = Fetcher(version="1", transport=sites, resolve=sites.resolve)
        with pytest.raises(WebRefused):
            await fetcher.fetch("https://sea.example/")

        assert inner.asked == []


async def test_a_resolver_that_changes_its_mind_is_asked_once_for_each_request():
    """DNS rebinding: public when it is checked, private when it is connected to."""
    answers = [[PUBLIC], ["127.0.0.1"]] * 9
    sites = Sites({"https://sea.example/": answer(WORDS)})
    asked = []

    async def resolve(host, _port):
        asked.append(host)
        return answers[len(asked) - 1]

    fetcher = Fetcher(version="1", transport=sites, resolve=resolve)
    found = await fetcher.fetch("https://sea.example/", obey_robots=False)
    with pytest.raises(WebRefused):
        await fetcher.fetch("https://sea.example/", obey_robots=False)

    assert read_page(found).text
    assert set(sites.connected) == {PUBLIC}


# --- bodies


def endless(handler):
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    while True:
        handler.wfile.write(b"<p>and on and on" * 4000)


def bomb(size):
    packed = gzip.compress(b"<p>" + b"boom " * (size // 5))
    return Page(packed, headers={"Content-Encoding": "gzip"})


async def test_a_small_answer_that_unpacks_to_much_is_refused(product, site):
    site.pages["/bomb"] = bomb(60_000_000)
    assert len(site.pages["/bomb"].body) < 200_000

    with pytest.raises(WebUnreadable, match="too"):
        await add(product, site.url("/bomb"))


async def test_a_stream_without_an_end_is_left(product, site):
    site.pages["/endless"] = endless

    with pytest.raises(WebUnreadable):
        await add(product, site.url("/endless"))


async def test_a_hundred_thousand_boxes_in_each_other_are_read(product, site):
    site.pages["/deep"] = Page("<title>Deep</title>" + "<div>" * 100_000 + WORDS)

    content = await kept(product, site.url("/deep"))

    assert "High water" in content.text


async def test_a_large_page_is_read_beside_the_loop(product, site):
    site.write("/large", "Large", WORDS * 4000)
    product.keeps = True

    with watched_loop() as watch:
        await add(product, site.url("/large"))

    assert watch.steps
    assert not watch.too_long, "\n".join(map(str, watch.too_long))


@pytest.mark.parametrize("charset", ["utf-16", "ascii", "nonsense", "koi8-r"])
async def test_a_wrong_charset_loses_no_page(product, site, charset):
    body = f"<title>Größe</title>{WORDS}<p>Größe der Flut</p>".encode()
    site.pages["/wrong"] = Page(body, f"text/html; charset={charset}")

    content = await kept(product, site.url("/wrong"))

    assert content.text.strip()


async def test_nul_and_scripts_are_no_text(product, site):
    site.pages["/odd"] = Page(
        f"<title>A\0B<script>alert(1)</script></title><script>x()</script>{WORDS}<p>a\0b</p>"
    )

    content = await kept(product, site.url("/odd"))

    assert "\0" not in content.title + content.text
    assert "x()" not in content.text
    assert "a\ufffdb" in content.text


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>First</title><meta property=og:title content=Second>", "<h1>Third</h1>", "First"),
        ("<title> </title><meta property=og:title content=Second>", "<h1>Third</h1>", "Second"),
        ("", "<h1>Third</h1>", "Third"),
        ("", "", "Untitled"),
    ],
)
async def test_the_title_is_the_first_there_is(product, site, head, body, title):
    site.pages["/title"] = Page(f"{head}<main>{body}{WORDS}</main>")

    assert (await kept(product, site.url("/title"))).title == title


async def test_a_given_title_comes_before_all(product, site):
    assert (await kept(product, site.url("/tides"), title="When to sail")).title == "When to sail"


# --- other kinds


async def test_a_pdf_is_refused_in_plain_words(product, site):
    site.pages["/paper.pdf"] = Page(b"%PDF-1.7 ...", "application/pdf")

    with pytest.raises(WebUnreadable, match="PDF") as caught:
        await add(product, site.url("/paper.pdf"))

    assert caught.value.hint


@pytest.mark.parametrize("content_type", ["image/png", "application/zip", "video/mp4", "text/csv"])
async def test_what_is_not_read_is_named(product, site, content_type):
    site.pages["/file"] = Page(b"\x89PNG\r\n", content_type)

    with pytest.raises(WebUnreadable) as caught:
        await add(product, site.url("/file"))

    assert content_type in f"{caught.value.what} {caught.value.cause}"


async def test_plain_text_is_taken_as_it_is(product, site):
    text = "---\nnot: front matter\n---\n\n<b>High</b> *water*  at noon\n"
    site.pages["/notes.txt"] = Page(text, "text/plain; charset=utf-8")

    content = await kept(product, site.url("/notes.txt"))

    assert content.title == "notes.txt"
    assert text.strip() in content.text


async def test_markdown_is_taken_as_it_is_with_its_front_matter(product, site):
    text = "---\ntitle: The tides\ntags: [sea]\nlevel: 3\n---\n# Heading\n\n| a | b |\n| - | - |\n"
    site.pages["/tides.md"] = Page(text, "text/markdown; charset=utf-8")

    content = await kept(product, site.url("/tides.md"))

    assert (content.title, content.tags, content.metadata["level"]) == ("The tides", ("sea",), 3)
    assert content.text.startswith("# Heading")
    again = await add(product, site.url("/tides.md"))
    assert again.outcome is PageOutcome.UNCHANGED


async def test_a_rule_on_top_of_a_page_is_no_front_matter(product, site):
    site.pages["/rule"] = Page(f"<title>Rule</title><main><hr><p>level: 3</p><hr>{WORDS}</main>")

    content = await kept(product, site.url("/rule"))

    assert "level: 3" in content.text
    assert "level" not in content.metadata


# --- whom a page is for


async def test_robots_are_obeyed_unless_a_person_names_the_page(product, site):
    site.pages["/robots.txt"] = Page("User-agent: *\nDisallow: /tides", "text/plain")

    with pytest.raises(WebRefused, match="programs"):
        await add(product, site.url("/tides"))
    assert site.asked == []

    content = await kept(product, site.url("/tides"), obey_robots=False)
    assert content.title == "Tide tables"


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, WebRejected, "login"), (402, WebRejected, "402"), (403, WebRejected, "not shown"),
        (404, WebRejected, "no page"), (410, WebRejected, "any more"),
        (429, WebUnavailable, "less often"), (451, WebRejected, "law"),
        (500, WebUnavailable, "moment"), (503, WebUnavailable, "moment"),
    ],
)  # fmt: skip
async def test_pages_that_are_not_for_us_say_so(product, site, status, kind, words):
    site.pages["/closed"] = Page("closed", "text/html", status)

    with pytest.raises(WebError) as caught:
        await add(product, site.url("/closed"))

    assert type(caught.value) is kind
    assert words in str(caught.value)
    assert caught.value.hint


async def test_a_login_is_no_page(product, site):
    form = "<form><input name=user><input type=password name=word><button>Log in</button></form>"
    site.write("/login", "Log in", f"<p>Members only.</p>{form}")
    site.redirect("/members", "/login?next=/members")

    with pytest.raises(WebRejected, match="login"):
        await add(product, site.url("/members"))
