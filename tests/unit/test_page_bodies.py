"""Bodies: packed, cut, and far too large."""

import gzip
import zlib

import pytest
from hypothesis import given, strategies as st

from personal_context.connectors.web.bodies import read_body
from personal_context.domain.errors import WebUnavailable, WebUnreadable

TEXT = b"High water at noon, low water at six. " * 40


def bare_deflate(data):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


async def read(data, encoding="", most=10_000, size=7):
    async def pieces():
        for start in range(0, len(data), size):
            yield data[start : start + size]

    return await read_body(pieces(), encoding=encoding, most=most)


@pytest.mark.parametrize(
    ("packed", "encoding"),
    [
        (TEXT, ""),
        (TEXT, "identity"),
        (gzip.compress(TEXT), "gzip"),
        (gzip.compress(TEXT), "X-GZip"),
        (gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:]), "gzip"),
        (gzip.compress(TEXT) + b"\0\0\0", "gzip"),
        (zlib.compress(TEXT), "deflate"),
        (bare_deflate(TEXT), "deflate"),
        (zlib.compress(TEXT), "gzip"),
    ],
)
async def test_a_body_comes_out_as_it_went_in(packed, encoding):
    assert await read(packed, encoding) == TEXT


@given(st.binary(max_size=300), st.integers(1, 50))
async def test_any_body_in_any_pieces(data, size):
    assert await read(gzip.compress(data), "gzip", size=size) == data


async def test_an_empty_body_needs_no_wrapping():
    assert await read(b"", "gzip") == b""


@pytest.mark.parametrize(
    ("data", "encoding"),
    [(b"x" * 10_001, ""), (gzip.compress(b"x" * 10_001), "gzip"), (b"x" * 10_001, "gzip")],
)
async def test_too_long_is_too_long(data, encoding):
    with pytest.raises((WebUnreadable, WebUnavailable)):
        await read(data, encoding, size=1000)


async def test_a_bomb_is_put_out_while_it_is_small():
    bomb = gzip.compress(b"\0" * 300_000_000, 9)
    taken = []

    async def pieces():
        for start in range(0, len(bomb), 10_000):
            taken.append(start)
            yield bomb[start : start + 10_000]

    with pytest.raises(WebUnreadable, match="too large"):
        await read_body(pieces(), encoding="gzip", most=1_000_000)

    assert len(taken) == 1


@pytest.mark.parametrize("data", [gzip.compress(TEXT)[:-9], b"\x1f\x8bnonsense", TEXT])
async def test_a_damaged_body_is_no_page(data):
    with pytest.raises(WebUnavailable, match="damaged"):
        await read(data, "gzip")


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress"])
async def test_what_was_not_asked_for_is_not_unpacked(encoding):
    with pytest.raises(WebUnreadable, match="packed"):
        await read(TEXT, encoding)
