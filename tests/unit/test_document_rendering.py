"""Documents as HTML: what they say is shown, and nothing of it is carried out."""

from html.parser import HTMLParser

import pytest
from hypothesis import given, strategies as st

from personal_context.web.document.rendering import Href, rendered

ALLOWED = {"href", "target", "rel", "id", "class", "tabindex", "start"}
MARKDOWN = st.lists(
    st.sampled_from(
        [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<svg/onload=alert(1)>",
            "[a](",
            "javascript:alert(1)",
            "data:text/html,x",
            "https://x.example",
            ")",
            "![",
            "]",
            "<https://x.example>",
            "`",
            "```\n",
            "\n",
            "\n\n",
            "# ",
            "> ",
            "- ",
            "1. ",
            "| a | b |\n",
            "|---|--:|\n",
            "**",
            "_",
            "&lt;",
            "&#106;avascript:",
            "\\",
            '"',
            "'",
            "style=",
            "<!--",
            "~~",
            "[x]: javascript:alert(2)\n",
            " ",
            "word",
        ]
    ),
    max_size=30,
).map("".join)


class Elements(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.found, self.text = [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def anywhere(address):
    return Href(address)


def shown(text, link_to=anywhere, **more):
    return rendered(text, link_to, **more).text


@given(st.one_of(MARKDOWN, st.text(max_size=200)), st.integers(1, 9))
def test_nothing_gets_through_that_could_do_something(text, line):
    for tag, attributes in Elements(shown(text, here=line)).found:
        assert tag not in {"script", "img", "svg", "style", "iframe", "object", "form", "input"}
        assert set(attributes) <= ALLOWED
        assert attributes.get("href", "https:").startswith(("https:", "http:", "mailto:")) or (
            ":" not in attributes["href"].split("/")[0]
        )
        assert attributes.get("id", "here") == "here"


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '<p style="position:fixed">x</p>',
        "[x](javascript:alert(1))",
        "<javascript:alert(1)>",
    ],
)
def test_hostile_markup_stays_text(hostile):
    found = Elements(shown(hostile))

    assert found.text.strip() == hostile
    assert [tag for tag, _ in found.found] in (["p"], [])


def test_links_lead_where_they_may_lead():
    def link_to(address):
        return {"/doc/a": Href("/content/1", outside=False), "https://x/": Href("https://x/")}.get(
            address
        )

    html = shown("[in](/doc/a) [out](https://x/) [nowhere](/doc/b) ![pic](https://x/)", link_to)

    assert '<a href="/content/1" rel="noopener noreferrer">in</a>' in html
    assert '<a href="https://x/" target="_blank" rel="noopener noreferrer">out</a>' in html
    assert "<span>nowhere</span>" in html
    assert '<a href="https://x/" target="_blank" rel="noopener noreferrer">[image: pic]</a>' in html


def test_a_clickable_image_is_one_link():
    html = shown("[![pic](https://x/a.png)](https://x/)")

    assert html.count("<a ") == 1
    assert "[image: pic]" in html


def test_headings_stand_below_the_title_and_have_their_anchors():
    html = shown("# One\n\ntext\n\n###### Six", anchors={1: "h-one", 5: "h-six"})

    assert '<h2 id="h-one">One</h2>' in html
    assert '<h6 id="h-six">Six</h6>' in html


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        (1, '<h2 id="h-a" class="here"><span id="here"></span>A</h2>'),
        (2, '<p id="here" class="here">para</p>'),
        (3, '<p id="here" class="here">para</p>'),
        (6, '<li id="here" class="here">two</li>'),
        (9, '<pre tabindex="0" id="here" class="here"><code>code'),
        (13, '<tr id="here" class="here">'),
    ],
)
def test_the_block_that_was_asked_for_is_marked(line, marked):
    text = "# A\n\npara\n\n- one\n- two\n\n```\ncode\n```\n\n|a|b|\n|-|-|\n|1|2|\n"

    html = shown(text, anchors={1: "h-a"}, here=line if line != 13 else 14)

    assert marked in html
    assert html.count('id="here"') == 1


def test_a_part_counts_its_lines_from_where_it_stands():
    html = shown("one\n\n# Two", first_line=101, anchors={103: "h-two"}, here=101)

    assert '<p id="here" class="here">one</p>' in html
    assert '<h2 id="h-two">' in html


def test_tables_are_aligned_without_styles_and_can_be_scrolled():
    html = shown("|a|b|\n|--:|:-:|\n|1|2|\n")

    assert "style" not in html
    assert '<div class="wide" tabindex="0"><table>' in html
    assert '<td class="end">1</td>' in html
    assert '<td class="center">2</td>' in html


def test_tasks_have_boxes():
    html = shown("- [ ] open\n- [x] *done*\n- [y] neither")

    assert "<li>☐ open</li>" in html
    assert "<li>☑ <em>done</em></li>" in html
    assert "[y] neither" in html


def test_brackets_without_end_take_no_minutes():
    assert "[" * 60_000 + "&lt;b&gt;" in shown("[" * 60_000 + "<b>")
