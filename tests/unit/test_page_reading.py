"""What is left of a page: its text, and nothing else."""

import re

import httpx
import pytest
from hypothesis import given, settings, strategies as st

from personal_context.connectors.web.html import MOST_TAGS
from personal_context.connectors.web.reading import read_html
from personal_context.domain.errors import WebRejected, WebUnreadable

URL = httpx.URL("https://sea.example/guide/tides")
TIDE = "The tide turns at noon, and the harbour fills until the evening."
KETTLE = "Bring the copper kettle, for the galley has none and the nights are cold."
LAMP = "The lamp on the mole is lit an hour before the sun goes down."
PLAIN = f"{TIDE}\n\n{KETTLE}\n\n{LAMP}"
PROSE = f"<p>{TIDE}</p><p>{KETTLE}</p><p>{LAMP}</p>"


def read(html, **more):
    return read_html(html, URL, **more)


def text(html):
    return read(html).text


@pytest.mark.parametrize(
    "frame",
    [
        "<main>{}</main>",
        "<div><article>{}</article></div>",
        '<div role="main">{}</div>',
        '<div class="x content y">{}</div>',
        '<div id="content">{}</div>',
        "<div><div>{}</div></div>",
        "<table><tr><td>{}</td></tr></table>",
        '<form action="Default.aspx"><div>{}</div></form>',
        "{}",
    ],
)
def test_the_text_is_found_where_it_stands(frame):
    html = f"""
      <body><header><a href="/">Harbour</a> <p>All about boats</p></header>
      <nav><ul><li><a href="/a">Boats</a><li><a href="/b">Nets</a></ul></nav>
      {frame.format(PROSE)}
      <aside><p>Buy our new anchor, it holds like no other anchor.</p></aside>
      <footer><p>Copyright Harbour Ltd, all rights reserved since 1932.</p></footer>
    """

    assert text(html) == PLAIN


def test_an_empty_frame_is_not_believed():
    html = f"<main></main><article>Soon</article><div class=content></div><div>{PROSE}</div>"

    assert TIDE in text(html)
    assert LAMP in text(html)


def test_a_short_page_is_read_too():
    assert text("<nav>Menu</nav><main><h1>Hi</h1><p>Low.</p></main>") == "# Hi\n\nLow."


def test_a_page_without_any_structure_is_read():
    assert text(f"{TIDE}<br><br>{KETTLE}").split("\n\n") == [TIDE, KETTLE]


@pytest.mark.parametrize(
    "noise",
    [
        "<script>var tracked = 1</script>",
        "<style>p { color: red }</style>",
        "<noscript>Please turn on scripts</noscript>",
        "<template><p>not yet shown to anybody</p></template>",
        "<iframe>frames are not supported</iframe>",
        "<svg><title>icon</title><text>drawn</text></svg>",
        "<nav><a href=/x>Elsewhere</a></nav>",
        "<form><label>Your address</label><input><button>Go</button></form>",
        "<button>Copy</button>",
        "<select><option>English</option></select>",
        "<dialog>Do you want to leave us already, dear reader?</dialog>",
        "<aside>Elsewhere on this site there is more to read for you.</aside>",
        '<div role="navigation"><a href=/x>Elsewhere</a></div>',
        '<div role="dialog">We value your privacy more than anything else.</div>',
        '<div class="cookie-banner">This site uses cookies for the usual reasons.</div>',
        '<div id="onetrust-consent-sdk">We and our 812 partners value your privacy.</div>',
        '<div class="share-buttons"><a href=/f>Facebook</a> <a href=/t>Twitter</a></div>',
        '<div class="ArticleShare">Share this with those who might care about it</div>',
        '<section class="related-posts"><p>Ten stories you should not miss.</p></section>',
        '<div class="newsletter-signup"><p>Get the best of the harbour every Sunday.</p></div>',
        '<div class="ad-slot">Advertisement</div>',
        '<ul class="breadcrumbs"><li><a href=/>Home</a><li><a href=/g>Guide</a></ul>',
        '<div id="comments"><p>First! And what a nice harbour this is, really.</p></div>',
        "<h2>Related articles</h2><ul><li><a href=/1>Nets</a><li><a href=/2>Knots</a></ul>",
        '<p><a href="/1">Nets</a> | <a href="/2">Knots</a> | <a href="/3">Sails</a></p>',
        "<p>Read more</p>",
    ],
)
@pytest.mark.parametrize("frame", ["<article>{}</article>", "<div><div>{}</div></div>"])
def test_what_is_not_the_text_goes(noise, frame):
    html = frame.format(f"<p>{TIDE}</p><p>{KETTLE}</p>{noise}<p>{LAMP}</p>" + PROSE)

    assert text(html) == f"{PLAIN}\n\n{PLAIN}"


@pytest.mark.parametrize(
    "kept",
    [
        "<h2 id='comments'>Comments</h2>",
        "<section id='navigation'><h2>Navigation</h2><p>Steer by the stars.</p></section>",
        "<aside class='admonition warning'><p>Mind the swell at the entrance.</p></aside>",
        "<div class='note'><p>Mind the swell at the entrance.</p></div>",
        "<details><summary>More</summary><p>Mind the swell at the entrance.</p></details>",
        "<blockquote><p>Mind the swell at the entrance.</p><footer>The pilot</footer></blockquote>",
        "<ul><li>Search</li><li>Menu</li></ul>",
        "<ul><li><a href=/1>Nets</a></li><li><a href=/2>Knots</a>, which hold well</li></ul>",
        "<figure><img src=/m.png><figcaption>The mole at low water</figcaption></figure>",
        "<h3><button>When does the ferry leave?</button></h3>",
    ],
)
def test_what_only_looks_like_it_stays(kept):
    assert set(words(kept)) <= set(words(text(f"<article>{PROSE}{kept}{PROSE}</article>")))


def words(html):
    return re.findall(r"[a-z]{3,}", re.sub(r"<[^>]*>", " ", html.lower()))


def test_a_header_within_a_text_keeps_its_heading():
    html = f"""<header><h2>Harbour News</h2></header>
      <article><header><h1>Tides</h1><p class="meta">By Ann</p></header>{PROSE}</article>"""

    assert text(html).startswith(f"# Tides\n\n{TIDE}")


def test_a_thread_is_read_whole():
    posts = "".join(
        f'<div class="comment post-{n}"><div class="comment-body"><p>{TIDE} {n}</p></div></div>'
        for n in range(6)
    )

    assert [f"{TIDE} {n}" in text(f"<body>{posts}") for n in range(6)] == [True] * 6


def test_a_page_of_links_is_still_a_page():
    links = "".join(f"<li><a href='/{n}'>Pier {n}</a>" for n in range(20))

    assert "[Pier 7](https://sea.example/7)" in text(f"<main><h1>Piers</h1><ul>{links}</ul></main>")


def test_what_lies_too_deep_becomes_text():
    deep = "<div>" * 5000 + "<b>" * 5000 + TIDE + "</b>" * 5000 + "</div>" * 5000

    assert text(f"<main>{deep}<p>{KETTLE}</p></main>").endswith(KETTLE)
    assert TIDE in text(f"<main>{deep}</main>")


def test_too_many_tags_are_refused():
    with pytest.raises(WebUnreadable, match="too large"):
        read("<i>" * (MOST_TAGS + 1))


def test_too_much_text_is_refused():
    with pytest.raises(WebUnreadable, match="too long"):
        read(f"<p>{TIDE * 40_000}")


@pytest.mark.parametrize("asked", [URL, httpx.URL("https://sea.example/secret")])
def test_a_login_is_no_page(asked):
    html = "<h1>Welcome back</h1><form><input name=user><input type=password></form>"

    with pytest.raises(WebRejected, match="login"):
        read(html, asked=asked)


def test_a_redirect_to_a_login_without_a_form_is_none_either():
    with pytest.raises(WebRejected, match=r"sea\.example/secret asks for a login"):
        read_html(
            "<p>Loading",
            httpx.URL("https://id.example/oauth2/authorize"),
            asked=httpx.URL("https://sea.example/secret"),
        )


def test_a_page_with_a_login_in_its_corner_is_a_page():
    html = f"<form><input type=password></form><main>{PROSE * 4}</main>"

    assert TIDE in text(html)


PIECES = """
    <p> <div> </div> <b> </b> <a_href=x> </a> <table> <tr> <td> </table> <ul> <li> <ol> <pre> <code>
    </pre> <h1> <article> <main> <aside> <dl> <dt> <dd> <img_src=y> <br> <nav> </nav> <style>
    </style> <!-- --> <script> </script> words | # - > * ` \\ & < <td_colspan=9_rowspan=9> <svg>
    <math> <button> <details> <summary> <sup> <form> <header> <footer> <span_style=display:none>
"""


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES.split()), max_size=60))
def test_any_soup_is_eaten(pieces):
    read(" ".join(pieces).replace("_", " "))
