"""The way of Markdown through Outline's editor, against what the real one returned."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from personal_context.upstream.sandbox.markdown import clean, normalise

CAPTURES = Path(__file__).parents[2] / "../shared/outline/captures"
ROUNDTRIP = CAPTURES / "markdown_roundtrip.json"
recorded = pytest.mark.skipif(not ROUNDTRIP.is_file(), reason="no recordings here")

NOT_REPRODUCED = {
    "mention": "Outline adds a random UUID to a mention; here it depends on the mention",
}


def roundtrips():
    return json.loads(ROUNDTRIP.read_text())


@recorded
def test_the_recorded_roundtrips():
    wrong = {
        name: normalise(case["sent"])
        for name, case in roundtrips().items()
        if normalise(case["sent"]) != case["returned"]
    }

    assert wrong.keys() == NOT_REPRODUCED.keys()


@recorded
def test_a_mention_gets_a_uuid():
    case = roundtrips()["mention"]
    uuid = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}(?=/user)")

    assert uuid.sub("", normalise(case["sent"])) == uuid.sub("", case["returned"])


@recorded
def test_the_recorded_roundtrips_are_stable():
    for case in roundtrips().values():
        assert normalise(case["returned"]) == case["returned"]
        assert normalise(normalise(case["sent"])) == normalise(case["sent"])


@recorded
@pytest.mark.parametrize("name", ["documents.create.json", "v1.9.2/documents.create.json"])
def test_the_recorded_documents(name):
    recording = json.loads((CAPTURES / name).read_text())
    returned = recording["response"]["body"]["data"]["text"]
    image = re.search(r"/api/attachments\.redirect\?id=[0-9a-f-]+", returned)

    written = normalise(
        recording["request"]["body"]["text"], lambda *_: image[0] if image else "none"
    )

    assert written == returned


@pytest.mark.parametrize(
    ("sent", "returned"),
    [
        ("one\ntwo", "one two"),
        ("one\\\ntwo", "one\\ntwo"),
        ("_a_ __b__ **c** ~~d~~", "*a* __b__ **c** ~~d~~"),
        ("- a\n\n  more\n- b\n  1. c\n  2. d", "* a\n\n  more\n* b\n  1. c\n  2. d"),
        ("9. a\n10. b\n    - c", " 9. a\n10. b\n    * c"),
        ("> a\n>\n> - b", "> a\n>\n> * b"),
        ("\\# no heading", "\\# no heading"),
        ("1\\. no list", "1\\. no list"),
        ("snake_case_name", "snake_case_name"),
        ("C:\\path\\new", "C:\\path\\new"),
        ("see https://example.com/a_b, then", "see <https://example.com/a_b>, then"),
        ("`` a`b ``", "``a`b``"),
        ("| a |\n|---|\n| x<br>y |\n\nend", "| a   |\n|-----|\n| x<br>y |\n\n\nend"),
        (":::tip\n- a\n:::\n\nend", ":::tip\n* a\n\n:::\n\nend"),
        (":::info\nnever closed", ":::info\nnever closed\n\n:::"),
        ("text\n:::info\nx\n:::", "text\n\n:::info\nx\n\n:::"),
        ("$$\na\nb\n$$", "$$\na\nb\n$$"),
        ("$$ open", "\\$$ open"),
        ('[a](b "c \\"d\\"") ![e](f)', '[a](b "c \\"d\\"") ![e](f)'),
        ("\\[a\\](b)", "\\[a](b)"),
        ("a\0b", "a\ufffdb"),
        ("", ""),
    ],
)
def test_ways_of_writing(sent, returned):
    assert normalise(sent) == returned


def blocks():
    words = st.text("abc xyz АБВ 漢字 0123456789", min_size=1, max_size=30).map(
        lambda text: f"w{text}"
    )
    inline = st.one_of(
        words,
        words.map(lambda w: f"**{w.strip()}**"),
        words.map(lambda w: f"`{w}`"),
        words.map(lambda w: f"[{w}](https://example.com/x)"),
    )
    line = st.lists(inline, min_size=1, max_size=4).map(" ".join)
    paragraph = st.lists(line, min_size=1, max_size=3).map("\n".join)
    heading = line.map(lambda text: f"## {text}")
    bullets = st.lists(line, min_size=1, max_size=4).map(
        lambda items: "\n".join(f"- {item}" for item in items)
    )
    numbers = st.lists(line, min_size=1, max_size=4).map(
        lambda items: "\n".join(f"{n}. {item}" for n, item in enumerate(items, 1))
    )
    code = paragraph.map(lambda text: f"```py\n{text}\n```")
    table = st.lists(words, min_size=1, max_size=3).map(
        lambda cells: f"| {' | '.join(cells)} |\n|{'---|' * len(cells)}\n| {' | '.join(cells)} |"
    )
    quote = paragraph.map(lambda text: "> " + text.replace("\n", "\n> "))
    notice = paragraph.map(lambda text: f":::warning\n{text}\n:::")
    return st.one_of(paragraph, heading, bullets, numbers, code, table, quote, notice)


@given(st.lists(blocks(), max_size=6))
def test_ordinary_markdown_is_stable_after_one_way(parts):
    # Two lists in a row would become one.
    once = normalise("\n\ntext between\n\n".join(parts))

    assert normalise(once) == once


@given(st.text(max_size=200))
def test_any_text_is_taken(text):
    written = normalise(text)

    assert isinstance(written, str)
    assert clean(written) == written


def test_a_lone_half_of_a_pair_is_replaced():
    assert clean("a\ud800b😀") == "a\ufffdb😀"
