"""From bytes to text: what the bytes say, the header, the page itself, and else a guess. Pure."""

import codecs
import re
from typing import Final

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# What browsers read when a page names an older or smaller relative (encoding.spec.whatwg.org).
_READ_AS: Final = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "johab": "cp949",
    "utf-16": "utf-16-le",
}
# Python knows more codecs than there are encodings of pages; some of them are no encodings at all.
_KNOWN = re.compile(
    r"utf-8|utf-16-[bl]e|iso8859-(?:[2-8]|1[03456])|cp125[0-8]|cp866|cp874|koi8-[ru]|"
    r"mac-(?:roman|cyrillic)|gb18030|big5hkscs|euc_jp|iso2022_jp|cp932|cp949"
)
# What pages that don't say it are written in, most likely first.
_LIKELY: Final = (
    "cp1252",
    "cp1251",
    "cp932",
    "gb18030",
    "euc_jp",
    "cp949",
    "big5hkscs",
    "cp1250",
    "iso8859-2",
    "koi8-r",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "cp1257",
    "cp874",
    "iso2022_jp",
)
_LABELS: Final = {
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
    "utf8": "utf-8",
    "ks_c_5601-1987": "cp949",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
    "macintosh": "mac-roman",
}

_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_IN_META = re.compile(rb"<meta\b[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_IN_XML = re.compile(rb"<\?xml\b[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{1,40})")
_META_WITHIN: Final = 4_096
_GUESSED_FROM: Final = 40_000
"""Bytes."""


def decoded(body: bytes, content_type: str, *, is_html: bool) -> str:
    """Return a body as text; what can't be read becomes U+FFFD.

    Valid UTF-8 that is more than ASCII is taken for what it is, even under another name: no text
    in an older encoding looks like it by chance.

    Args:
        body: The whole body.
        content_type: The answer's header.
        is_html: Whether the page may say it itself.
    """
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(encoding, "replace")
    declared = _in_header(content_type) or (_in_page(body) if is_html else None)
    if declared not in {"utf-16-le", "utf-16-be", "iso2022_jp"}:
        try:
            return body.decode("utf-8")
        except UnicodeDecodeError:
            pass
    if declared is None:
        declared = _guessed(body)
    return body.decode(declared, "replace")


def _in_header(content_type: str) -> str | None:
    found = _IN_HEADER.search(content_type)
    return _codec(found[1]) if found else None


def _in_page(body: bytes) -> str | None:
    head = body[:_META_WITHIN]
    found = _IN_META.search(head) or _IN_XML.match(head)
    encoding = _codec(found[1].decode("ascii", "replace")) if found else None
    # Read as ASCII far enough to find the word, it can't be UTF-16.
    return "utf-8" if encoding in {"utf-16-le", "utf-16-be"} else encoding


def _codec(label: str) -> str | None:
    label = label.lower()
    try:
        name = _LABELS.get(label) or codecs.lookup(label).name
    except (LookupError, ValueError):
        return None
    name = _READ_AS.get(name, name)
    return name if _KNOWN.fullmatch(name) else None


def _guessed(body: bytes) -> str:
    # Not at the top: it takes a while to load, and most pages say what they are.
    from charset_normalizer import from_bytes

    matches = from_bytes(body[:_GUESSED_FROM], cp_isolation=list(_LIKELY))
    found = [(match.chaos, -match.coherence, _rank(match.encoding)) for match in matches]
    return _LIKELY[min(found)[2]] if found else _LIKELY[0]


def _rank(encoding: str) -> int:
    name = _codec(encoding)
    return _LIKELY.index(name) if name in _LIKELY else len(_LIKELY) - 1
