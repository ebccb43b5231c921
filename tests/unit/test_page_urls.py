"""Addresses of pages."""

import httpx
import pytest
from hypothesis import given, strategies as st

from personal_context.connectors.web.urls import LONGEST, joined, name_of, page_url
from personal_context.domain.errors import InvalidInput, WebRefused

ODD_SPELLINGS = [
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://127.1/",
    "http://127.0.1",
    "http://0/",
    "http://1.2.3.4.5/",
    "http://256.1.1.1/",
    "http://example.0x7f/",
]

NO_ADDRESSES = [
    "",
    "   ",
    "example.com/page",
    "//example.com/page",
    "/etc/passwd",
    "file:///etc/passwd",
    "ftp://example.com/",
    "javascript:alert(1)",
    "data:text/html,<p>hi",
    "gopher://example.com/",
    "http:///path",
    "http://",
    "https://?q",
    "http://[::1",
    "http://[not:an:address]/",
    "http://exa mple.com/",
    "http://example.com:0/",
    "http://example.com:99999/",
    "http://example.com:port/",
    "http://%31%32%37.0.0.1/",
    "http://\uff11\uff12\uff17.\uff10.\uff10.\uff11/",
    "http://a..b/",
    "http://.../",
    "http://exam\nple.com/",
    "http://ex\0ample.com/",
    "http://-/",
    "http://" + "a" * 64 + ".com/",
    "http://example.com/" + "a" * LONGEST,
]


@pytest.mark.parametrize("address", ODD_SPELLINGS)
def test_an_ip_address_in_disguise_is_not_fetched(address):
    with pytest.raises((WebRefused, InvalidInput)):
        page_url(address)


@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_what_is_no_web_address_is_told(address):
    with pytest.raises(InvalidInput) as caught:
        page_url(address)

    assert caught.value.hint
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "address",
    [
        "https://ann:secret@example.com/",
        "https://ann@example.com/",
        "https://:secret@example.com/",
        "http://example.com@127.0.0.1/",
        "http://example.com\\@127.0.0.1/",
        "http://127.0.0.1%2f@example.com/",
    ],
)
def test_an_address_with_a_login_is_refused_without_repeating_it(address):
    with pytest.raises(WebRefused, match="login") as caught:
        page_url(address)

    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("pasted", "fetched"),
    [
        ("  https://Example.COM/Tides  ", "https://example.com/Tides"),
        ("HTTPS://example.com:443", "https://example.com"),
        ("http://example.com/a/../b#c", "http://example.com/b"),
        ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
        ("http://my_host/x", "http://my_host/x"),
        ("http://[2606:4700::1111]:8080/x", "http://[2606:4700::1111]:8080/x"),
        ("http://93.184.215.14/x", "http://93.184.215.14/x"),
        ("http://127.0.0.1./x", "http://127.0.0.1/x"),
        ("https://example.com./x", "https://example.com/x"),
    ],
)
def test_an_address_is_fetched_as_it_was_pasted(pasted, fetched):
    assert str(page_url(pasted)) == fetched


@given(st.text(max_size=60).map("http://".__add__) | st.text(max_size=60))
def test_any_text_is_an_address_or_an_error(text):
    try:
        url = page_url(text)
    except (InvalidInput, WebRefused):
        return
    assert url.scheme in {"http", "https"}
    assert url.host
    assert not url.userinfo
    assert not url.fragment
    assert str(page_url(name_of(url))) == name_of(url)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://example.com", "https://example.com/"),
        ("https://example.com/a#b", "https://example.com/a"),
        ("https://example.com/a?", "https://example.com/a"),
        ("https://example.com/a?utm_source=x&utm_medium=y", "https://example.com/a"),
        ("https://example.com/a?id=7&utm_source=x&gclid=9", "https://example.com/a?id=7"),
        ("https://example.com/a?UTM_Source=x&b", "https://example.com/a?b"),
        ("https://example.com/a?utmost=1", "https://example.com/a?utmost=1"),
        ("https://example.com/a?b=2&a=1", "https://example.com/a?b=2&a=1"),
        ("https://example.com/%7eann/%c3%a4", "https://example.com/~ann/%C3%A4"),
        ("https://example.com/a/", "https://example.com/a/"),
        ("https://example.com/?q=a%26utm_source%3Db", "https://example.com/?q=a%26utm_source%3Db"),
    ],
)
def test_a_page_goes_by_one_name(address, name):
    assert name_of(page_url(address)) == name
    assert name_of(page_url(name)) == name


@pytest.mark.parametrize(
    ("target", "leads_to"),
    [
        ("next", "https://example.com/a/next"),
        ("/next", "https://example.com/next"),
        ("?p=2", "https://example.com/a/b?p=2"),
        ("//other.example/x", "https://other.example/x"),
        (" https://other.example/x ", "https://other.example/x"),
        ("", "https://example.com/a/b?q"),
    ],
)
def test_references_lead_on_from_where_they_stand(target, leads_to):
    assert joined(httpx.URL("https://example.com/a/b?q"), target) == leads_to
