"""The Markdown of a page: what CommonMark reads back as what the page showed."""

import httpx
import pytest
from bs4 import BeautifulSoup
from hypothesis import example, given, settings, strategies as st
from markdown_it import MarkdownIt

from personal_context.connectors.web.reading import read_html

URL = httpx.URL("https://sea.example/guide/tides?x=1")
COMMONMARK = MarkdownIt("commonmark", {"html": True}).enable("table")


def text(html):
    return read_html(f"<main>{html}</main>", URL).text


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h1>A</h1><h2>B</h2><h6>C</h6>", "# A\n\n## B\n\n###### C"),
        ("<h2><b>A</b> <code>b</code></h2>", "## A `b`"),
        ("<h2></h2><p>x</p>", "x"),
        ("<p>a\n  b\tc&nbsp;d</p>", "a b c d"),
        ("<p>a <b>b</b> <i>c</i> <del>d</del> <code>e</code></p>", "a **b** *c* ~~d~~ `e`"),
        ("<p><b><b>a</b></b></p>", "**a**"),
        ("<b><p>a</p><p>b</p></b>", "a\n\nb"),
        ("<p>a<br>b</p>", "a  \nb"),
        ("<p>a<br><br>b</p>", "a\n\nb"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n  - c"),
        ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b"),
        ("<ul><li><p>a</p><p>b</p></li></ul>", "- a\n\n  b"),
        ("<ol><li>a<pre>b</pre></ol>", "1. a\n\n   ```\n   b\n   ```"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"),
        ("<dl><dt>A<dd>is a<dt>B<dd><p>is b</p></dl>", "**A**\n\nis a\n\n**B**\n\nis b"),
        ("<details><summary>A</summary>b</details>", "**A**\n\nb"),
        ("<center>a</center><address>b</address>", "a\n\nb"),
        ("<p><kbd>a</kbd> <samp>b</samp> <tt>c</tt> <q>d</q></p>", '`a` `b` `c` "d"'),
        ("<x-card><p>a</p></x-card><p>b</p>", "a\n\nb"),
        ("<p>x<sup><a href='#n'>[1]</a></sup></p>", "x[1]"),
    ],
)
def test_each_element_has_its_mark(html, markdown):
    assert text(html) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<a href=next>n</a>", "[n](https://sea.example/guide/next)"),
        ("<a href=/a?b=c#d>n</a>", "[n](https://sea.example/a?b=c#d)"),
        ("<a href=#top>n</a>", "[n](https://sea.example/guide/tides?x=1#top)"),
        ("<a href=//o.example/x>n</a>", "[n](https://o.example/x)"),
        ("<a href=mailto:a@b.example>n</a>", "[n](mailto:a@b.example)"),
        ("<a href='/a b(c)'>n</a>", "[n](https://sea.example/a%20b%28c%29)"),
        ("<a href='/a%28b'>n</a>", "[n](https://sea.example/a%28b)"),
        ("<a href='/ä'>n</a>", "[n](https://sea.example/%C3%A4)"),
        ("<a href='javascript:alert(1)'>n</a>", "n"),
        ("<a href='data:text/html,x'>n</a>", "n"),
        ("<a name=x>n</a>", "n"),
        ("<a href=/x title='more'>a]b</a>", "[a\\]b](https://sea.example/x)"),
        ("<a href=/x>\n a\n b\n</a>", "[a b](https://sea.example/x)"),
        ("<a href=/x><h3>A</h3><p>b</p></a>", "### A\n\nb"),
        ("<a href=/x></a>y", "y"),
        ("<img src=m.png alt='the mole'>", "![the mole](https://sea.example/guide/m.png)"),
        ("<a href=/big.png><img src=m.png></a>", "![](https://sea.example/guide/m.png)"),
        (
            "<img data-src=/lazy.png src=data:image/gif;base64,R0>",
            "![](https://sea.example/lazy.png)",
        ),
        ("<img srcset='/a.png 1x, /b.png 2x'>", "![](https://sea.example/a.png)"),
        ("<img src=/x.png alt='a](b) [c'>", "![a\\](b) \\[c](https://sea.example/x.png)"),
        ("<img class=emoji alt='⚓' src=/e.png>", "⚓"),
        ("<h2>A<a class=headerlink href=#a>¶</a></h2>", "## A"),
        ("<h2><a class=anchor href=#a></a>A</h2>", "## A"),
        ("<h2>A<a class=hash-link href=#a title='Direct link'>\u200b</a></h2>", "## A"),
        ("<h2><a href=/x>A</a></h2>", "## [A](https://sea.example/x)"),
    ],
)
def test_links_and_images_lead_somewhere(html, markdown):
    assert text(html) == markdown


def test_a_page_may_say_what_its_links_start_from():
    html = "<head><base href='https://o.example/deep/'></head><main><a href=x>n</a></main>"

    assert read_html(html, URL).text == "[n](https://o.example/deep/x)"


CODE = "def f(x):\n    return x  # <&>"
ESCAPED = CODE.replace("&", "&amp;").replace("<", "&lt;")
SPANS = "".join(f"<span class=line>{line}</span>\n" for line in ESCAPED.split("\n"))
BREAKS = "".join(f"<span class=token-line>{line}<br></span>" for line in ESCAPED.split("\n"))
DIVS = "".join(f"<div class=ec-line><div>{line}</div></div>" for line in ESCAPED.split("\n"))
ROWS = "".join(
    f"<tr><td class=blob-num>{n}</td><td class=blob-code><code>{line}</code></td></tr>"
    for n, line in enumerate(ESCAPED.split("\n"), 1)
)
NUMBERED = "".join(
    f"<span class=linenos>{n}</span>{line}\n" for n, line in enumerate(ESCAPED.split("\n"), 1)
)


@pytest.mark.parametrize(
    ("html", "language"),
    [
        (f"<pre>{ESCAPED}</pre>", ""),
        (f"<pre><code class=language-python>{ESCAPED}</code></pre>", "python"),
        (f"<pre class='language-py'><code>{SPANS}</code></pre>", "py"),
        (
            f"<div class='highlight-python x'><div><pre>{SPANS}</pre></div></div>",
            "python",
        ),
        (f"<div class='highlight highlight-source-python'><pre>{ESCAPED}</pre></div>", "python"),
        (
            f"<div><pre tabindex=0><code data-lang=python>{NUMBERED}</code></pre></div>",
            "python",
        ),
        (
            f"<div class='language-python codeBlock'><pre><code>{BREAKS}</code></pre></div>",
            "python",
        ),
        (f"<pre data-language=python><code>{DIVS}</code></pre>", "python"),
        (f"<pre class='brush: python; toolbar: false'>{ESCAPED}</pre>", "python"),
        (
            f"<pre data-syntaxhighlighter-params='brush: python; gutter: false'>{ESCAPED}</pre>",
            "python",
        ),
        (f"<pre><code class='hljs python'>{ESCAPED}</code></pre>", "python"),
        (f"<pre class='lang-python s-code-block'><code>{ESCAPED}</code></pre>", "python"),
        (f"<table class=highlight data-lang=python>{ROWS}</table>", "python"),
        (
            f"<table><tr><td><pre>1\n2</pre></td><td><div><pre>{SPANS}</pre></div></td></tr></table>",
            "",
        ),
        (f"<pre><code class=nohighlight>{ESCAPED}<button>Copy</button></code></pre>", ""),
    ],
)
def test_code_is_code_in_its_language(html, language):
    assert text(f"<p>x</p>{html}") == f"x\n\n```{language}\n{CODE}\n```"


def test_a_fence_is_longer_than_those_in_the_code():
    assert text("<pre>```sh\nls\n```</pre>") == "````\n```sh\nls\n```\n````"
    assert text("<p><code>a `b` c</code></p>") == "`` a `b` c ``"


def test_a_table_of_data_is_a_table():
    html = """<table><caption>Tides</caption><thead><tr><th>Port<th>High</thead>
      <tr><td>A | B<td><b>12:00</b><br>or so
      <tr><td><code>x|y</code><td><ul><li>a<li>b</ul></table>"""

    assert text(html) == (
        "Tides\n\n| Port | High |\n| --- | --- |\n| A \\| B | **12:00** or so |\n"
        "| `x\\|y` | • a • b |"
    )


def test_cells_that_span_are_filled_up():
    html = """<table><tr><th>a<th colspan=2>b<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5
      <tr><td>6</table>"""

    assert text(html) == (
        "| a | b | |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| | 4 | 5 |\n| 6 | | |"
    ).replace("| |", "|  |").replace("| |", "|  |")


@pytest.mark.parametrize(
    "table",
    [
        "<table role=presentation><tr><td>{a}<td>{b}<tr><td>x<td>y</table>",
        "<table><tr><td><h2>{a}</h2><td>{b}<tr><td>x<td>y</table>",
        "<table><tr><td>{a}</td></tr><tr><td>{b}</td></tr></table>",
        "<table><tr><td>{a}<td><table><tr><td>{b}</table></table>",
        "<table><tr><td>{a}<td>{b}</table>",
    ],
)
def test_a_table_that_only_places_things_is_none(table):
    words = text(table.format(a="High water", b="Low water"))

    assert "High water" in words
    assert "Low water" in words
    assert "|" not in words


PLAIN = st.text(
    st.sampled_from("ab 1.)-+*_#>`[](){}!|<&\\~=:/\"'n;x"), min_size=1, max_size=25
).filter(lambda typed: any(map(str.isalnum, typed)))


@settings(max_examples=300, deadline=None)
@given(st.lists(PLAIN, min_size=1, max_size=4))
@example(["1. one", "# two", "- three", "> four", "    five"])
@example(["[a](b)", "![a](b)", "<b>x</b>", "&lt;", "a*b*c", "_x_ __y__", "`c`", "~~d~~"])
@example(["[a]: /b", "===", "---", "+++", ":::", "C:\\new", "\\*", "| a | b |"])
def test_text_that_looks_like_marks_is_read_back_as_text(paragraphs):
    escaped = [p.replace("&", "&amp;").replace("<", "&lt;") for p in paragraphs]
    html = "<h2>T</h2>" + "".join(f"<p>{p}</p>" for p in escaped)

    rendered = BeautifulSoup(COMMONMARK.render(text(html)), "lxml")

    assert [" ".join(p.get_text().split()) for p in rendered.find_all("p")] == [
        " ".join(p.split()) for p in paragraphs
    ]


@settings(max_examples=150, deadline=None)
@given(PLAIN, PLAIN)
def test_text_that_looks_like_marks_stays_text_in_links_and_cells(one, other):
    one_html, other_html = (
        part.replace("&", "&amp;").replace("<", "&lt;") for part in (one, other)
    )
    html = f"""<p><a href=/x>{one_html}</a></p>
      <table><tr><th>{one_html}<th>h<tr><td>1<td>{other_html}</table>"""

    rendered = BeautifulSoup(COMMONMARK.render(text(html)), "lxml")

    squeezed = [" ".join(tag.get_text().split()) for tag in rendered.find_all(["a", "th", "td"])]
    assert squeezed == [" ".join(part.split()) for part in (one, one, "h", "1", other)]
