"""Read the references to other documents out of Outline's Markdown."""

import re
from collections.abc import Iterator

from personal_context.domain.models import Link
from personal_context.indexing import prose

MAX_CONTEXT = 200
"""Characters."""

_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
# A path counts as a link only where Markdown makes it one; a whole address does anywhere.
_REFERENCE = re.compile(
    r"(?:(?<=\]\()|(?<=\]\(<)|https?://[^\s()<>/\[\]]{1,255})(?:/s/[\w-]{1,128})?"
    r"/doc/(?P<slug>[^\s()<>\[\]\"'`?#/]+)"
    rf"|mention://(?:[\w-]{{1,64}}/)?document/(?P<id>{_UUID})"
)
_UUID_ONLY = re.compile(_UUID)
_URL_ID = re.compile(r"(?:^|-)([A-Za-z0-9]{10})$")
_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.)*+)\]\([^()]*+\)")
_HARD_BREAK = re.compile(r"(?<!\\)(?:\\\\)*+\\n")


def links(text: str) -> list[Link]:
    """Return the distinct documents that a text refers to, in order, with the words around.

    Understood are `/doc/slug-urlId` and `/doc/<uuid>` as the target of a link, absolute addresses
    with such a path, and mentions of documents. Code is passed over. Takes any string.
    """
    found: dict[str, Link] = {}
    for line, is_code in prose.lines(text):
        if is_code or not ("/doc/" in line or "mention://" in line):
            continue
        for target, position in _targets(line):
            if target not in found:
                found[target] = Link(target, _context(line, position))
    return list(found.values())


def target_of(address: str) -> str | None:
    """Return the document that the address of a link names: a content id or urlId, or None.

    >>> target_of("/doc/on-call-hY7bQ2mN0p#h-rota")
    'hY7bQ2mN0p'
    """
    match = _REFERENCE.match(f"]({address}", 2)
    return _target(match) if match else None


def _targets(line: str) -> Iterator[tuple[str, int]]:
    position = 0
    for piece, is_code in prose.pieces(line):
        if not is_code:
            for match in _REFERENCE.finditer(piece):
                target = _target(match)
                if target is not None:
                    yield target, position + match.start()
        position += len(piece)


def _target(match: re.Match[str]) -> str | None:
    """Return the content id or urlId that a reference ends in, or None."""
    slug = match["id"] or match["slug"].rstrip(".,;:!*_~")
    if _UUID_ONLY.fullmatch(slug):
        return slug.lower()
    url_id = _URL_ID.search(slug)
    return url_id[1] if url_id else None


def _context(line: str, position: int) -> str:
    """Return the words around a position, as they read, without addresses."""
    label = line.rfind("[", max(0, position - MAX_CONTEXT), position)
    start = label if label >= 0 else position
    before = _reads(line[max(0, start - 2 * MAX_CONTEXT) : start])
    after = _reads(line[start : start + 4 * MAX_CONTEXT])
    room = max(MAX_CONTEXT // 2, MAX_CONTEXT - len(after) - 1)
    return f"{before[-room:]} {after}".strip()[:MAX_CONTEXT].rstrip()


def _reads(part: str) -> str:
    return " ".join(_LINK.sub(r"\1", _HARD_BREAK.sub(" ", part)).split())
