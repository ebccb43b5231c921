"""Front matter goes and comes back, and nobody's YAML does harm."""

import json
import math

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from personal_context.content.front_matter import NODES, put_back, take_out

NOTE = """\
---
title: Restoring the database   # as we do it
date: 2026-03-01
reviewed: 2026-03-01 10:30:00 +01:00
at: 10:30
version: 1.10
ticket: 007
phone: +49301234
published: no
draft: false
weight: 3
share: 0.25
huge: 1e400
owner: ~
aliases: [restore, "on: call"]
nested:
  deep: {a: 1}
  list:
    - x
    - y: z
---

# Restore

Stop the writers.
"""


def test_front_matter_becomes_plain_values_as_they_were_written():
    parted = take_out(NOTE)

    assert parted.body == "# Restore\n\nStop the writers.\n"
    assert parted.problem is None
    assert parted.metadata == {
        "title": "Restoring the database",
        "date": "2026-03-01",
        "reviewed": "2026-03-01 10:30:00 +01:00",
        "at": "10:30",
        "version": "1.10",
        "ticket": "007",
        "phone": "+49301234",
        "published": "no",
        "draft": False,
        "weight": 3,
        "share": 0.25,
        "huge": "1e400",
        "owner": None,
        "aliases": ["restore", "on: call"],
        "nested": {"deep": {"a": 1}, "list": ["x", {"y": "z"}]},
    }
    assert json.dumps(parted.metadata, allow_nan=False)


def test_what_is_put_back_reads_as_people_write_it():
    parted = take_out("---\ndate: 2026-03-01\ntags:\n  - a\n  - b\nanswer: 'yes'\n---\n\nText\n")

    assert put_back(parted.metadata, parted.body) == (
        "---\ndate: 2026-03-01\ntags:\n  - a\n  - b\nanswer: 'yes'\n---\n\nText\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "---\nno end",
        "--- \ntitle: x\n----\nText",
        "Text\n---\na: 1\n---\n",
        " ---\na: 1\n---\n",
        "---\nA paragraph between two rules.\n---\nText",
        "---\n\n# A heading: with a colon\n\nText, and more: text\n\nOne paragraph\n---\nText",
        "---\n- a\n- list\n---\nText",
        "---\n" + "a: b\n" * 20_000 + "---\nText",
        "+++\ntitle = 'x'\n+++\nText",
        "-----BEGIN CERTIFICATE-----\n",
    ],
)
def test_what_is_no_front_matter_stays(text):
    parted = take_out(text)

    assert parted.body == text
    assert parted.metadata == {}


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("a: b\nc: [1, 2\n", "line"),
        ("title: a: b", "line 2"),
        ("a: 1\na: 2", "line 3: 'a' is there twice"),
        ("? [a, b]\n: 1", "a key is not a word"),
        ("a: \x07", "special characters"),
        ("a: &x [1]\nb: *y", "undefined alias"),
        ("a: &x [*x]", "nested deeper"),
        ("a: " + "[" * 9_000, "nested too deep"),
        ("a: " + "[" * 60 + "]" * 60, "nested deeper"),
        ("a: &a [" + "1," * 1_000 + "]\nb: [" + "*a," * 10 + "]", "values"),
        (
            "a: &a [x, x, x, x, x, x, x, x, x]\n"
            + "\n".join(
                f"{k}: &{k} [{','.join([f'*{p}'] * 9)}]"
                for p, k in zip("abcdefgh", "bcdefghi", strict=True)
            ),
            f"more than {NODES:,} values",
        ),
    ],
    ids=lambda value: value[:20],
)
def test_what_cannot_be_read_stays_in_the_text_and_is_told(source, told):
    text = f"---\n{source}\n---\nText"

    parted = take_out(text)

    assert parted.body == text
    assert parted.metadata == {}
    assert told in parted.problem


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("!!python/object/apply:os.system ['echo hi']", ["echo hi"]),
        ("!!binary aGVsbG8=", "aGVsbG8="),
        ("!!timestamp 2026-03-01", "2026-03-01"),
        ("!!set {a, b}", {"a": None, "b": None}),
        ("!mine x", "x"),
        ("!!int twelve", "twelve"),
        ("!!bool maybe", "maybe"),
        (".nan", ".nan"),
        ("-.inf", "-.inf"),
        ("9" * 5000, "9" * 5000),
        ("&x [1, 2]", [1, 2]),
        ("{<<: {a: 1}, b: 2}", {"<<": {"a": 1}, "b": 2}),
    ],
)
def test_odd_types_become_plain_values(source, value):
    assert take_out(f"---\nk: {source}\n---\n").metadata == {"k": value}


@pytest.mark.parametrize(
    "text",
    [
        "---\r\na: 1\r\n---\r\n\r\nText\r\n",
        "\ufeff---\r\na: 1\r\n---\r\nText\r\n",
        "---\r\na: 1\r\n...\r\nText\r\n",
    ],
)
def test_line_ends_of_windows_and_the_other_end_mark_are_known(text):
    assert take_out(text).metadata == {"a": 1}
    assert take_out(text).body == "Text\r\n"


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ODD = st.sampled_from(
    [
        *["yes", "No", "~", "null", "1.10", "0x1f", "1_000", "12:30", "2026-03-01", "<<", "="],
        *["---", "...", "- a", "a: b", "#x", "'", '"', " x ", "a\n---\nb", "\n", "\t", "&a", "*a"],
        *["!x", "%", "\x85", "\u2028", "\ufeff", "\x00", "\x7f", "\U0001f600", "\r", " \n x\n "],
        *["1e5", "1.0e+5", "-0", "+1", "0b1"],
    ]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | ODD,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT | ODD, inner, max_size=4),
    max_leaves=12,
)
BODY = TEXT | ODD | st.lists(TEXT | ODD | st.just("---"), max_size=6).map("\n".join)


def same(left, right):
    """Compare as JSON does, where 1 is not 1.0 and not true, and -0.0 is not 0.0."""
    return json.dumps(left) == json.dumps(right)


@settings(max_examples=150, deadline=None)
@given(metadata=st.dictionaries(TEXT | ODD, JSON, max_size=5), body=BODY)
def test_nothing_is_lost_on_the_way_out_and_in(metadata, body):
    parted = take_out(put_back(metadata, body))

    assert same(parted.metadata, metadata)
    assert list(parted.metadata) == list(metadata)
    assert parted.body == body
    assert parted.problem is None


@settings(max_examples=100, deadline=None)
@given(
    source=st.lists(
        st.tuples(
            TEXT | ODD, st.sampled_from([": ", ":\n  - ", ": |\n  ", ": {", "", ":"]), BODY
        ).map("".join),
        max_size=5,
    ).map("\n".join)
)
def test_any_text_goes_in_and_what_comes_out_is_stable(source):
    text = f"---\n{source}\n---\n\nBody"

    parted = take_out(text)
    again = take_out(put_back(parted.metadata, parted.body))

    assert same(again.metadata, parted.metadata)
    assert again.body == parted.body


@settings(max_examples=50, deadline=None)
@given(metadata=st.dictionaries(TEXT | ODD, JSON, min_size=1, max_size=4))
def test_other_readers_of_yaml_see_the_same_values(metadata):
    source = put_back(metadata, "").removeprefix("---\n").removesuffix("---\n\n")

    def plain(value):
        if isinstance(value, dict):
            return {plain(key): plain(item) for key, item in value.items()}
        if isinstance(value, list):
            return [plain(item) for item in value]
        return value if isinstance(value, int | float | bool | None) else str(value)

    class WithoutDates(yaml.SafeLoader):
        pass

    WithoutDates.yaml_implicit_resolvers = {
        first: [pair for pair in pairs if not pair[0].endswith("timestamp")]
        for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    assert plain(yaml.load(source, WithoutDates)) == metadata


def test_a_float_keeps_its_value():
    for number in (0.1, 1e16, 1e-7, 5e-324, 1.7976931348623157e308, -0.0, math.pi):
        parted = take_out(put_back({"n": number}, ""))
        assert repr(parted.metadata["n"]) == repr(number)


@pytest.mark.parametrize("value", ["\n", "x\n\n", "a\n...\n", "...", "---\n"])
@pytest.mark.parametrize("body", ["", "b", "...\n"])
def test_values_that_end_like_a_document_come_back(value, body):
    parted = take_out(put_back({"a": value}, body))
    assert (parted.body, parted.metadata) == (body, {"a": value})
