"""robots.txt, as RFC 9309 tells it."""

import pytest
from hypothesis import given, strategies as st

from personal_context.connectors.web.robots import allows

EXAMPLE = """\
# from the RFC, and more
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-agent: BazBot
Disallow: /example/page.html

Sitemap: https://example.com/map.xml
User-Agent: quxbot
"""


@pytest.mark.parametrize(
    ("agent", "path", "allowed"),
    [
        ("anybot", "/", True),
        ("anybot", "/example/", False),
        ("anybot", "/example", True),
        ("anybot", "/a/b.gif", False),
        ("anybot", "/a/b.gif?x", True),
        ("foobot", "/", False),
        ("foobot", "/example/page.html", True),
        ("foobot", "/example/page.html?x=1", True),
        ("foobot", "/example/allowed.gif", True),
        ("barbot", "/example/page.html", False),
        ("bazbot", "/example/page.html", False),
        ("bazbot", "/b.gif", True),
        ("quxbot", "/example/", True),
    ],
)
def test_the_longest_rule_of_the_nearest_group_decides(agent, path, allowed):
    assert allows(EXAMPLE, agent, path) is allowed


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("Disallow:", "/", True),
        ("Disallow: /", "/x", False),
        ("Allow: /a\nDisallow: /a", "/a", True),
        ("Disallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("Disallow: /*/private", "/x/private/y", False),
        ("Disallow: /*/private", "/private", True),
        ("Disallow: /*.php$", "/a/b.php", False),
        ("Disallow: /*.php$", "/a/b.php5", True),
        ("Disallow: /a*b*c$", "/abc", False),
        ("Disallow: /a*b*c$", "/ac", True),
        ("Disallow: /$", "/", False),
        ("Disallow: /$", "/x", True),
        ("Disallow: *", "/x", False),
        ("Disallow: /x # not that", "/x", False),
        ("Noindex: /x\nCrawl-delay: 5", "/x", True),
    ],
)
def test_patterns(rules, path, allowed):
    assert allows(f"User-agent: *\n{rules}", "personal-context", path) is allowed


@given(st.text(), st.text().map("/".__add__))
def test_any_file_has_an_answer(robots, path):
    assert allows(robots, "personal-context", path) in {True, False}


def test_groups_for_one_name_are_one_group():
    robots = (
        "User-agent: *\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: *\nDisallow: /b"
    )

    assert not allows(robots, "y", "/a")
    assert not allows(robots, "y", "/b")
    assert allows(robots, "y", "/c")


def test_many_stars_take_no_time():
    assert allows("User-agent: *\nDisallow: /" + "a*" * 5000 + "b$", "x", "/" + "a" * 5000)
