"""Bodies of answers, unpacked as they come and cut off where they get too long."""

import zlib
from collections.abc import AsyncIterator
from typing import Final

from personal_context.domain.errors import WebUnavailable, WebUnreadable

_GZIP_OR_ZLIB: Final = zlib.MAX_WBITS | 32
_BARE_DEFLATE: Final = -zlib.MAX_WBITS

ACCEPTED: Final = "gzip, deflate"
"""For Accept-Encoding: what can be unpacked piece by piece, with the standard library."""


async def read_body(pieces: AsyncIterator[bytes], *, encoding: str, most: int) -> bytes:
    """Return a body, unpacked.

    No more than `most` bytes and one piece of the network are held at any time, whatever a packed
    body would grow to.

    Args:
        pieces: As they come from the network.
        encoding: The answer's Content-Encoding; empty for none.
        most: Bytes, packed and unpacked.

    Raises:
        WebUnreadable: It is longer, or packed in another way.
        WebUnavailable: It is damaged or cut.
    """
    unpack = _unpacker(encoding)
    body = bytearray()
    received = 0
    async for piece in pieces:
        received += len(piece)
        if received > most:
            raise too_long(most)
        if unpack is None:
            body += piece
        else:
            body += unpack.feed(piece, most + 1 - len(body))
        if len(body) > most:
            raise too_long(most)
    if unpack is not None and not unpack.whole:
        raise _damaged("It ends too early.")
    return bytes(body)


def too_long(most: int) -> WebUnreadable:
    """Return the error for a body of more than *most* bytes."""
    return WebUnreadable(
        "The page is too large.",
        cause=f"Pages of up to {most / 1_000_000:g} MB are read.",
        hint="Copy the part that matters, and add it as text.",
    )


class _Unpacker:
    """Unpacks gzip (several members, too), zlib, and deflate without its wrapping.

    Attributes:
        whole: The end has been seen, or nothing came at all.
    """

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._begun = False
        self.whole = True

    def feed(self, piece: bytes, most: int) -> bytes:
        """Return at most *most* bytes of what comes out."""
        if not self._begun and piece:
            # Some servers send "deflate" bare; wrapped, it begins like this.
            if piece[0] & 0x0F != zlib.DEFLATED and piece[:1] != b"\x1f":
                self._zlib = zlib.decompressobj(_BARE_DEFLATE)
            self._begun, self.whole = True, False
        unpacked = bytearray()
        while piece and len(unpacked) < most:
            if self._zlib.eof:
                if piece[:1] != b"\x1f":
                    break  # what some servers put behind the end is nothing
                self._zlib = zlib.decompressobj(_GZIP_OR_ZLIB)
            try:
                unpacked += self._zlib.decompress(piece, most - len(unpacked))
            except zlib.error as error:
                raise _damaged(str(error)) from None
            piece = self._zlib.unused_data if self._zlib.eof else self._zlib.unconsumed_tail
        self.whole = self._zlib.eof
        return bytes(unpacked)


def _unpacker(encoding: str) -> _Unpacker | None:
    name = encoding.strip().lower()
    if name in {"", "identity"}:
        return None
    if name in {"gzip", "x-gzip", "deflate"}:
        return _Unpacker()
    raise WebUnreadable(
        "The page is packed in a way that was not asked for.",
        cause=f"Its encoding is {name[:40]!r}; {ACCEPTED} can be read.",
        hint="Copy its text, and add that.",
    )


def _damaged(cause: str) -> WebUnavailable:
    return WebUnavailable("The page arrived damaged.", cause=cause)
