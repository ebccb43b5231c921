import time

import pytest
from hypothesis import given, strategies as st

from personal_context.indexing.links import MAX_CONTEXT, links

UUID = "5f3582b9-39e0-4ce3-b467-63d487589765"
OTHER = "79733a4a-9394-4b40-8d67-5f586293b69a"


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("see [Runbook](/doc/runbook-c9GMRW8P1H) now", ["c9GMRW8P1H"]),
        ("[a](/doc/a-b-c9GMRW8P1H#h-steps) [b](/doc/c9GMRW8P1J?x=1)", ["c9GMRW8P1H", "c9GMRW8P1J"]),
        ('[a](/doc/ausführung-c9GMRW8P1H "Title")', ["c9GMRW8P1H"]),
        (f"[Plan](/doc/{UUID.upper()}#x)", [UUID]),
        (f"@[Plan](mention://{OTHER}/document/{UUID})", [UUID]),
        (f"@[Plan](mention://document/{UUID})", [UUID]),
        (f"@[Ada](mention://{OTHER}/user/{UUID})", []),
        ("<https://wiki.example.com/doc/x-c9GMRW8P1H>", ["c9GMRW8P1H"]),
        ("at https://wiki.example.com:3000/doc/x-c9GMRW8P1H.", ["c9GMRW8P1H"]),
        ("[s](https://wiki.example.com/s/share-1/doc/x-c9GMRW8P1H)", ["c9GMRW8P1H"]),
        ("[a](/doc/x-c9GMRW8P1H) [again](/doc/renamed-c9GMRW8P1H)", ["c9GMRW8P1H"]),
        ("the path /doc/x-c9GMRW8P1H in prose", []),
        ("[a](/doc/short) [b](/collection/x-c9GMRW8P1H) [c](/document/x-c9GMRW8P1H)", []),
        ("`[a](/doc/x-c9GMRW8P1H)`", []),
        ("```\n[a](/doc/x-c9GMRW8P1H)\n```\n[b](/doc/x-c9GMRW8P1J)", ["c9GMRW8P1J"]),
        ("| [a](/doc/x-c9GMRW8P1H) | **[b](/doc/x-c9GMRW8P1J)** |", ["c9GMRW8P1H", "c9GMRW8P1J"]),
        ("", []),
    ],
)
def test_targets_in_order(text, targets):
    assert [link.target for link in links(text)] == targets


def test_the_words_around_are_kept():
    text = r"Old one.\nBefore the release read [the **plan**](/doc/plan-c9GMRW8P1H) and [x](y)."
    (link,) = links(f"another line\n\n{text}\n\nmore")
    assert link.context == "Old one. Before the release read the **plan** and x."
    assert (link.type, link.origin, link.confidence) == ("references", "parsed", 1.0)


def test_a_long_context_is_cut_around_the_link():
    (link,) = links(f"{'left ' * 200}[Plan](/doc/plan-c9GMRW8P1H){' right' * 200}")
    assert len(link.context) <= MAX_CONTEXT
    assert "left Plan right" in link.context


PIECES = st.sampled_from(
    ["[a](", "/doc/", "x-c9GMRW8P1H", ")", "`", "https://w.example", "\n", "mention://"]
)


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_is_read(text):
    found = links(text)
    assert len({link.target for link in found}) == len(found)
    assert all(0 < len(link.target) <= 36 and len(link.context) <= MAX_CONTEXT for link in found)


@pytest.mark.parametrize(
    "unit",
    ["[a](/doc/x-c9GMRW8P1H) ", "https://", "](/doc/", "[", "/doc/mention://", "https://a/s/b"],
)
def test_hostile_text_takes_no_time(unit):
    start = time.process_time()
    links(unit * (500_000 // len(unit)))
    assert time.process_time() - start < 3
