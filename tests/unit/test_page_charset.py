"""Bytes that say, or don't say, how they are to be read."""

import pytest
from hypothesis import given, strategies as st

from personal_context.connectors.web.charset import decoded

RUSSIAN = "Полная вода будет в полдень, после чего отлив начнётся только к вечеру. " * 3
JAPANESE = "満潮は正午です。引き潮は夕方になってから始まります。港の灯台が見えます。" * 3
CHINESE = "涨潮在中午,退潮要到傍晚才开始。今天天气很好,我们去港口散步。" * 3
GERMAN = "Das Hochwasser fällt auf Mittag, für Schiffe heißt das: früh auslaufen. " * 3


def read(text, encoding, content_type="text/html", head=""):
    body = f"<html><head>{head}</head><body><p>{text}</p></body></html>".encode(encoding)
    return decoded(body, content_type, is_html=True)


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8-r", "KOI8-R"),
        (JAPANESE, "cp932", "Shift_JIS"),
        (JAPANESE, "euc_jp", "EUC-JP"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp"),
        (CHINESE, "gb18030", "gb2312"),
        ("漲潮在中午退潮要到傍晚才開始。", "big5hkscs", "Big5"),
        (GERMAN + "„so“", "cp1252", "ISO-8859-1"),
        (GERMAN, "utf-8", "utf8"),
        (RUSSIAN, "utf-16-le", "UTF-16LE"),
    ],
)
def test_header_and_page_say_it(text, encoding, name):
    assert text in read(text, encoding, f'text/html; Charset="{name}"')
    if not encoding.startswith("utf-16"):
        assert text in read(text, encoding, head=f'<meta charset="{name}">')
        old = f'<meta http-equiv="Content-Type" content="text/html; charset={name}">'
        assert text in read(text, encoding, head=old)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (RUSSIAN, "cp1251"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (CHINESE, "gb18030"),
        (GERMAN, "cp1252"),
        (GERMAN, "utf-8"),
    ],
)
def test_what_nobody_says_is_guessed(text, encoding):
    assert text in read(text, encoding)


def test_the_header_goes_before_the_page():
    assert RUSSIAN in read(
        RUSSIAN, "cp1251", "text/html; charset=windows-1251", "<meta charset=koi8-r>"
    )


@pytest.mark.parametrize("name", ["iso-8859-1", "windows-1251", "shift_jis", "no-such-thing"])
def test_utf_8_under_another_name_is_still_utf_8(name):
    assert RUSSIAN in read(RUSSIAN, "utf-8", f"text/html; charset={name}")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_goes_before_all(encoding):
    text = decoded(RUSSIAN.encode(encoding), "text/plain; charset=koi8-r", is_html=False)

    assert text == RUSSIAN


@pytest.mark.parametrize(
    "name", ["utf-7", "rot13", "hex", "idna", "unicode_escape", "zip", "undefined"]
)
def test_what_is_no_encoding_of_pages_is_not_used(name):
    assert decoded(b"caf\xe9 +AGE- \\u0041", f"text/plain; charset={name}", is_html=False) == (
        "café +AGE- \\u0041"
    )


def test_plain_text_is_not_searched_for_tags():
    body = '<meta charset="koi8-r"> Straße'.encode("cp1252")

    assert "Straße" in decoded(body, "text/plain", is_html=False)


@given(st.binary(max_size=200), st.text(max_size=20))
def test_any_bytes_become_text(body, name):
    text = decoded(body, f"text/html; charset={name}", is_html=True)

    assert isinstance(text, str)
    text.encode()
