import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from personal_context.indexing.markdown import readable

USER = "mention://79733a4a-9394-4b40-8d67-5f586293b69a/user/5f3582b9-39e0-4ce3-b467-63d487589765"
DOCUMENT = USER.replace("/user/", "/document/")
FILE = "/api/attachments.redirect?id=5f3582b9-39e0-4ce3-b467-63d487589765"

EXAMPLES = [
    # Hard breaks: an odd backslash before an n, and only in prose.
    (r"line one\nline two", "line one\nline two"),
    (r"a\n\nb", "a\nb"),
    (r"C:\\new\\nodes", r"C:\\new\\nodes"),
    (r"a\\\nb", "a\\\\\nb"),
    (r"`\n` and\n`x\ny`", "`\\n` and\n`x\\ny`"),
    (r"``a`\nb`` c\nd", "``a`\\nb`` c\nd"),
    (r"\`a\nb\`", "\\`a\nb\\`"),
    (r"$\nabla f$ and\n$$\neq$$", "$\\nabla f$ and\n$$\\neq$$"),
    (r"$5\nand $6", "$5\nand $6"),
    (r"| a\nb | c<br>d |", "| a b | c d |"),
    # What was text in the middle of a line doesn't become a heading, a rule, or a fence.
    (r"total:\n# of items", "total:\n\\# of items"),
    (r"total\n---", "total\n\\---"),
    (r"a\n~~~b", "a\n\\~~~b"),
    (r"a\n:::info", "a\n\\:::info"),
    # Notices and toggles.
    (":::warning\nStop the writers.\n:::", "**Warning:**\nStop the writers."),
    (
        "before\n\n\n:::info\na\n\n* b\n\n:::\n\nafter",
        "before\n\n**Info:**\na\n\n* b\n\nafter",
    ),
    (":::\nbare\n:::", "bare"),
    ("> :::tip\n> x\n> :::", "> **Tip:**\n> x\n>"),
    ("+++++\nbody\n\n+++++", "body"),
    ("+++ Title\nbody\n+++", "Title\nbody"),
    # Mentions and highlights.
    (f"ask @[Ada]({USER}) now", "ask @Ada now"),
    (f"see @[Plan \\[x\\]]({DOCUMENT})", rf"see [Plan \[x\]](/doc/{DOCUMENT[-36:]})"),
    ("@[Ada](mention://user/5f3582b9)", "@Ada"),
    ("a ==marked== word", "a marked word"),
    ("==(==a==)==", "(a)"),
    ("a == b and c == d, a==b==c, ===", "a == b and c == d, a==b==c, ==="),
    ("the __init__ method, an __underline__", "the __init__ method, an __underline__"),
    # Files and images.
    (f' ![A diagram]({FILE} "right-50 =640x480")', "[image: A diagram]"),
    (f"x ![]({FILE}) y", "x [image] y"),
    (f"[plan.pdf 12345]({FILE})", "[plan.pdf]"),
    (f"[demo.mp4 640x480](https://wiki.example{FILE})", "[demo.mp4]"),
    ("![logo](https://example.com/logo.png)", "![logo](https://example.com/logo.png)"),
    # Blanks and line ends.
    ("a\n\n\\\n\n\\\n\nb", "a\n\nb"),
    ("\n\na  \r\nb\r\n\r\n\r\n\r\nc\n\n", "a  \nb\n\nc"),
    ("", ""),
    (" \t\n\\\n", ""),
    ("a\0b \ud800", "a\0b \ud800"),
]


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_outline_dialect_becomes_plain_markdown(text, expected):
    assert readable(text) == expected
    assert readable(expected) == expected


@pytest.mark.parametrize(
    "code",
    [
        '```py\nprint("a\\nb")  # ==x==\n:::info\n\n\n+++\n\\\n```',
        "~~~\n```\n\\n\n~~~",
        "````md\n```py\nx\\ny\n```\n````",
        "$$\n\\nabla == \\nu\n$$",
        "* item\n\n  ```\n  a\\nb\n  ```",
        "> ```\n> a\\nb\n> ```",
        "```\nnever closed\\n\n:::info",
    ],
)
def test_code_blocks_stay_as_they_are(code):
    assert readable(code) == code
    assert readable(f"before\\nit\n\n{code}") == f"before\nit\n\n{code}"


def test_a_lone_dollar_line_opens_no_math_block():
    assert readable("$$\na\\nb") == "$$\na\nb"


def captures():
    path = Path(__file__).parents[2] / "../shared/outline/captures/markdown_roundtrip.json"
    if not path.exists():
        pytest.skip("the recorded answers are not here")
    return {name: case["returned"] for name, case in json.loads(path.read_text("utf-8")).items()}


def test_recorded_answers_read_as_a_person_expects():
    returned = captures()
    expected = dict(returned)
    expected["hardbreak"] = "line one\nline two"
    expected["html"] = "<details><summary>x</summary>hi</details>\n\n<b>bold</b> a\nb"
    expected["escape"] = r"a \* b _ c # d 1. e [x] \* $5 and $6 \~tilde\~ mark"
    expected["mention"] = "@Ada"
    expected["hr"] = "a\n\n---\n\nb"
    expected["toggle"] = "body"
    assert {name: readable(text) for name, text in returned.items()} == expected


SIGNS = r"\n \ \\ ` `` ``` ~~~ ::: :::info +++ == = $ $$ # > - | <br> a 1. [ ] ( )"
LINKS = ["@[Ada](mention://user/1)", "![a](/api/files.get?x)", "[b](/api/files.get?id=1)"]
PIECES = st.sampled_from([*SIGNS.split(" "), *LINKS, " ", "\n", "\n\n"])
TEXTS = st.lists(PIECES | st.text(max_size=3)).map("".join)


@given(TEXTS)
def test_any_text_is_read_and_grows_by_a_label_at_most(text):
    result = readable(text)
    assert (
        len(result) <= len(text) + text.count("\\n") * 2 + (text.count(":") + text.count("+")) * 2
    )


@given(
    st.lists(
        st.sampled_from(
            [text for text, _ in EXAMPLES if "\r" not in text]
            + ["```\na\\nb\n```", "# Heading", "* item", "text"]
        )
    ).map("\n\n".join)
)
def test_reading_twice_changes_nothing_more(text):
    assert readable(readable(text)) == readable(text)


@given(
    TEXTS.filter(lambda text: not re.search(r"```|~~~|\$\$", text)),
    st.text(st.characters(exclude_characters="`\r", exclude_categories=())),
)
def test_code_survives_among_anything(text, code):
    block = f"```\n{code}\n```"
    assert readable(f"{text}\n\n{block}").endswith(block)


@pytest.mark.parametrize(
    "unit",
    [
        "plain words and more words\n",
        "`",
        "` `` ```",
        "![",
        "@[",
        "[a](",
        "[b](/api/files.get ",
        "==(",
        "== ==a",
        "\\",
        "\\n",
        "$a ",
        "$$\n",
        "> ",
        "- ",
        ":::info\n",
        "+++ ",
        "<br",
        "1. ",
        "# a\\nb\n",
        '![a](/api/files.get "x\\',
    ],
)
def test_hostile_text_of_a_megabyte_takes_no_time(unit):
    text = unit * (1_000_000 // len(unit))
    start = time.process_time()
    readable(text)
    assert time.process_time() - start < 3
