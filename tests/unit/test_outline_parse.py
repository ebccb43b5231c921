import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from outline_replies import COLLECTION_ID, DOCUMENT_ID, collection_json, document_json

from personal_context.domain.models import TreeNode
from personal_context.upstream import parse
from personal_context.upstream.json_text import _decode_deep, clean, decode

URL = "https://wiki.example.com"

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
anything = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)


def document(**changes: Any):
    return parse.document(document_json(**changes), base_url=URL)


def storable(text: str) -> bool:
    text.encode()
    return "\0" not in text


@given(anything)
def test_any_json_is_read_or_refused(data):
    readers = (
        lambda: parse.document(data, base_url=URL),
        lambda: parse.collection(data),
        lambda: parse.tree(data),
        lambda: parse.auth_info(data),
        lambda: parse.items(data),
    )
    for reader in readers:
        try:
            reader()
        except parse.Unreadable as error:
            assert storable(str(error))  # noqa: PT017 - not raising is fine too
    assert parse.document_id(data) is None


@given(st.dictionaries(st.sampled_from(sorted(document_json())), anything))
def test_a_document_with_any_members_is_read_or_refused(changes):
    try:
        found = document(**changes)
    except parse.Unreadable:
        return
    assert storable(found.title + found.text + found.url)
    assert found.id == found.id.lower()
    assert found.url.startswith(URL + "/")


@given(st.text(st.characters(codec=None)))
def test_text_is_kept_but_for_what_no_database_holds(text):
    found = document(text=text).text
    assert storable(found)
    assert len(found) == len(text)
    assert all(
        new == old or (new == "\ufffd" and (old == "\0" or "\ud800" <= old <= "\udfff"))
        for new, old in zip(found, text, strict=True)
    )


def test_lone_surrogates_of_json_are_replaced_and_pairs_kept():
    data = decode(rb'{"text": "a\ud83d b\ude80 \ud83d\ude80 c\u0000"}')
    assert clean(data["text"]) == "a\ufffd b\ufffd \U0001f680 c\ufffd"


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("id", None),
        ("id", 3),
        ("id", "not-a-uuid"),
        ("id", DOCUMENT_ID + "\n"),
        ("urlId", ""),
        ("url", "https://evil.example.com/doc/x"),
        ("url", "javascript:alert(1)"),
        ("url", "/doc/a b"),
        ("title", None),
        ("title", ["a"]),
        ("text", None),
        ("text", {}),
        ("collectionId", "x"),
        ("parentDocumentId", 0),
        ("createdAt", None),
        ("updatedAt", 1732172587),
        ("updatedAt", "2026-13-21T07:03:07.225Z"),
        ("updatedAt", "2026-11-21T07:03:07.225+02:00"),
        ("updatedAt", "2026-11-21"),
        ("deletedAt", True),
        ("deletedAt", ""),
        ("revision", "3"),
        ("revision", True),
        ("revision", -1),
        ("revision", 10**30),
        ("revision", 1.5),
    ],
)
def test_a_wrong_member_is_named(member, value):
    with pytest.raises(parse.Unreadable, match=f"`{member}`"):
        document(**{member: value})


@pytest.mark.parametrize("member", ["id", "urlId", "url", "title", "text", "updatedAt", "revision"])
def test_a_missing_member_is_never_guessed(member):
    data = document_json()
    del data[member]
    with pytest.raises(parse.Unreadable, match=f"`{member}`"):
        parse.document(data, base_url=URL)


def test_members_that_outline_leaves_out_are_none():
    data = document_json()
    for member in ("publishedAt", "archivedAt", "collectionId", "parentDocumentId"):
        del data[member]
    found = parse.document(data, base_url=URL)
    assert (found.published_at, found.archived_at, found.deleted_at) == (None, None, None)
    assert (found.collection_id, found.parent_id) == (None, None)


def test_ids_are_lower_case():
    found = document(
        id=DOCUMENT_ID.upper(), collectionId=COLLECTION_ID.upper(), parentDocumentId=DOCUMENT_ID
    )
    assert (found.id, found.collection_id) == (DOCUMENT_ID, COLLECTION_ID)
    assert parse.collection(collection_json(id=COLLECTION_ID.upper())).id == COLLECTION_ID


# --- trees


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


def node(number: int, *children: Any) -> dict[str, Any]:
    return {"id": uuid(number), "title": str(number), "children": list(children)}


def shape(nodes: tuple[TreeNode, ...]) -> Any:
    return [(int(each.id[-12:]), shape(each.children)) for each in nodes]


def test_a_tree_keeps_its_order():
    found = parse.tree([node(1, node(2), node(3, node(4))), node(5)])
    assert shape(found) == [(1, [(2, []), (3, [(4, [])])]), (5, [])]


def test_of_an_id_that_comes_twice_the_first_place_counts_and_nothing_is_lost():
    found = parse.tree([node(1, node(2)), node(2, node(3)), node(1, node(1, node(4)))])
    assert shape(found) == [(1, [(2, [(3, [])]), (4, [])])]


def test_nodes_without_children_or_title_are_read():
    assert shape(parse.tree([{"id": uuid(1)}, {"id": uuid(2), "children": None}])) == [
        (1, []),
        (2, []),
    ]


@pytest.mark.parametrize(
    "data", [None, {}, "", [None], [[]], [{}], [{"id": 1}], [node(1) | {"children": {}}]]
)
def test_a_tree_that_is_not_whole_is_refused(data):
    with pytest.raises(parse.Unreadable):
        parse.tree(data)


@pytest.mark.parametrize("depth", [1_000, 20_000])
def test_depth_is_no_limit(depth):
    head = "".join(f'{{"id": "{uuid(number)}", "children": [' for number in range(depth))
    found = parse.tree(decode(f"[{head}{']}' * depth}]".encode()))
    for number in range(depth):
        (below,) = found
        assert below.id == uuid(number)
        found = below.children
    assert not found


# --- JSON without recursion


@given(anything, st.sampled_from([None, 2]))
def test_decoding_without_recursion_gives_the_same(data, indent):
    assert _decode_deep(json.dumps(data, indent=indent)) == data


@given(st.text('[]{}",:1 a\\tn', max_size=12))
def test_decoding_without_recursion_refuses_the_same(text):
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011 - any will do
            _decode_deep(text)
    else:
        assert _decode_deep(text) == expected


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b"\xff", b'{"a": "\x80"}', b"[1] 2"])
def test_broken_json_is_a_value_error(body):
    with pytest.raises(ValueError):  # noqa: PT011 - any will do
        decode(body)
