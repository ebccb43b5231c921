"""What a site asks of programs, and what it isn't asked twice."""

import pytest
from web_sites import PUBLIC, Sites, page, redirect

from personal_context.connectors.web.fetching import Fetcher
from personal_context.domain.errors import WebRefused
from personal_context.domain.models import UnchangedPage, Validators

TIDES = "https://sea.example/tides"
ROBOTS = "https://sea.example/robots.txt"
NO = page("User-agent: *\nDisallow: /tides", "text/plain")


def fetcher(sites):
    return Fetcher(version="1.2.3", transport=sites, resolve=sites.resolve)


async def test_a_site_that_says_no_to_programs_is_obeyed():
    sites = Sites({TIDES: page(), ROBOTS: NO})

    with pytest.raises(WebRefused, match="not to be read by programs") as caught:
        await fetcher(sites).fetch(TIDES)

    assert "--ignore-robots" in caught.value.hint
    assert sites.paths() == []


async def test_a_person_may_read_it_all_the_same():
    sites = Sites({TIDES: page(), ROBOTS: NO})

    assert (await fetcher(sites).fetch(TIDES, obey_robots=False)).body
    assert len(sites.asked) == 1


async def test_each_hop_is_asked_for_and_each_site_once():
    sites = Sites(
        {
            "https://land.example/": redirect("https://sea.example/a"),
            "https://sea.example/a": redirect("/tides"),
            TIDES: page(),
            ROBOTS: NO,
        }
    )

    with pytest.raises(WebRefused, match="robots"):
        await fetcher(sites).fetch("https://land.example/")

    assert sum(r.url.path == "/robots.txt" for r in sites.asked) == 2


@pytest.mark.parametrize(
    "robots",
    [
        page("x", status=404),
        page("x", status=401),
        page("x", status=503),
        page(b"x" * 600_000),
        redirect("http://127.0.0.1/robots.txt"),
        redirect("/robots.txt"),
        redirect(""),
        page("User-agent: *\nDisallow: /other"),
    ],
)
async def test_only_a_no_means_no(robots):
    sites = Sites({TIDES: page(), ROBOTS: robots})

    assert (await fetcher(sites).fetch(TIDES)).body
    assert set(sites.connected) == {PUBLIC}


async def test_what_is_known_is_asked_for_only_if_it_changed():
    asked = []

    async def known(name):
        asked.append(name)
        return Validators('"v1"', "Fri, 02 Jan") if name == TIDES else None

    def answer(request):
        same = request.headers.get("if-none-match") == '"v1"'
        return page(status=304) if same else page()

    sites = Sites({"https://sea.example/": redirect("/tides?utm_source=x"), TIDES: answer})

    found = await fetcher(sites).fetch("https://sea.example/", known=known)

    assert found == UnchangedPage(TIDES)
    assert asked == ["https://sea.example/", TIDES]
    first, second = [r for r in sites.asked if r.url.path != "/robots.txt"]
    assert "if-none-match" not in first.headers
    assert second.headers["if-modified-since"] == "Fri, 02 Jan"


async def test_what_can_not_be_sent_back_is_not_kept():
    sites = Sites({TIDES: page(headers={"etag": "no quotes", "last-modified": "x" * 99})})

    found = await fetcher(sites).fetch(TIDES)

    assert found.validators == Validators()
