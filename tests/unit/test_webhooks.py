"""Whether deliveries are genuine, what they hint at, and when they wake the sync."""

import asyncio
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from fake_time import FakeTime
from hypothesis import given, strategies as st

from personal_context.sync.webhooks import WINDOW, Hint, Wakeups, concerned, hint, verify

CAPTURES = Path(__file__).parents[2] / "../shared/outline/captures"
CAPTURED_SECRET = "s3cr3t-for-tests"
SECRET = "0123456789abcdef"
NOW = datetime(2026, 11, 21, 7, 8, 41, tzinfo=UTC)
DOCUMENT = "367fb35c-72ee-44ed-8f43-704a39b42824"
ENGINEERING = "7cfcdc82-b04b-4abb-b43a-e4ddff3f10ec"
OPERATIONS = "826f4ada-7db1-475b-8d99-1c9cc6a6ae2f"


def signature(secret, body, at=NOW):
    stamp = int(at.timestamp() * 1000)
    digest = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={stamp},s={digest}"


def captures():
    paths = sorted(CAPTURES.glob("webhook.*.json"))
    return paths or [pytest.param(None, marks=pytest.mark.skip(reason="no recordings here"))]


@pytest.mark.parametrize("path", captures(), ids=lambda path: path and path.stem)
def test_what_outline_sent_is_genuine_and_understood(path):
    request = json.loads(path.read_text())["request"]
    header, body = request["headers"]["outline-signature"], request["raw_body"].encode()
    sent_at = datetime.fromtimestamp(int(header[2:15]) / 1000, UTC)

    assert verify(CAPTURED_SECRET, header, body, sent_at)
    assert not verify(CAPTURED_SECRET, header, body.replace(b"a", b"b", 1), sent_at)
    found = hint(body)
    payload = request["body"]["payload"]
    model = payload.get("model") or {}
    assert found.event == request["body"]["event"]
    if found.event.startswith("collections."):
        assert (found.collection_id, found.document_id) == (payload["id"], None)
    else:
        assert found.collection_id == model.get("collectionId")
        assert found.document_id == model.get("documentId", payload["id"])


@given(st.text(st.characters(codec="utf-8"), min_size=1), st.binary(), st.integers(-300, 300))
def test_a_right_signature_holds_within_the_window(secret, body, seconds):
    header = signature(secret, body, NOW + timedelta(seconds=seconds))

    assert verify(secret, header, body, NOW)


@pytest.mark.parametrize("direction", [1, -1])
def test_outside_the_window_it_is_a_replay(direction):
    header = signature(SECRET, b"{}", NOW + direction * (WINDOW + timedelta(milliseconds=1)))

    assert not verify(SECRET, header, b"{}", NOW)


@given(st.binary(), st.binary())
def test_the_signature_is_for_this_body(signed, sent):
    assert verify(SECRET, signature(SECRET, signed), sent, NOW) == (signed == sent)


@given(st.text(), st.one_of(st.none(), st.text()), st.binary())
def test_garbage_is_not_genuine(secret, header, body):
    assert not verify(secret, header, body, NOW)


@given(
    st.text(),
    st.from_regex(r"[ tT]?t?=?-?[0-9]{0,40}[,;]?s?=?[0-9a-fA-F]{0,70}\n?", fullmatch=True),
)
def test_garbage_that_looks_like_a_signature_is_not_genuine(secret, header):
    assert not verify(secret, header, b"{}", NOW)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda header: header.upper(),
        lambda header: header + "\n",
        lambda header: header + "," + header,
        lambda header: header.replace("t=", "t=0"),
        lambda header: header.replace("1", "\u0661", 1),
        lambda header: header.split(",")[1] + "," + header.split(",")[0],
        lambda header: header[:-1],
    ],
)
def test_a_signature_has_one_form(spoil):
    assert verify(SECRET, signature(SECRET, b"x"), b"x", NOW)
    assert not verify(SECRET, spoil(signature(SECRET, b"x")), b"x", NOW)


def test_another_secret_and_none_at_all_are_refused():
    assert not verify("another", signature(SECRET, b"x"), b"x", NOW)
    assert not verify("", signature("", b"x"), b"x", NOW)


def delivery(event, collection=ENGINEERING, document=DOCUMENT):
    model = {"id": document, "collectionId": collection} if collection else None
    return json.dumps({"event": event, "payload": {"id": document, "model": model}}).encode()


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["event", "payload", "model", "id", "collectionId", "documentId"])
            | st.text(),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)


@given(st.binary() | json_values.map(lambda value: json.dumps(value).encode()))
def test_anything_is_a_hint_or_none(body):
    found = hint(body)

    assert found is None or concerned(found) is None or concerned(found) <= {found.collection_id}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"\xff\xfe",
        b'{"event": 5}',
        b'{"event": "documents.update\\u0000"}',
        b'{"event": "' + b"x." * 200 + b'y"}',
        b"[" * 200_000,
        b'{"event": ' + b"9" * 5000 + b"}",
    ],
)
def test_what_names_no_event_is_unreadable(body):
    assert hint(body) is None


def test_ids_that_are_none_are_left_out():
    assert hint(b'{"event": "documents.update", "payload": []}') == Hint(
        "documents.update", None, None
    )
    wrong = delivery("documents.update", collection="../etc", document="x' OR 1=1")
    assert hint(wrong) == Hint("documents.update", None, None)


@pytest.mark.parametrize(
    ("event", "collection", "where"),
    [
        ("documents.update", ENGINEERING, {ENGINEERING}),
        ("documents.update", ENGINEERING.upper(), {ENGINEERING}),
        ("documents.delete", ENGINEERING, {ENGINEERING}),
        ("documents.update", None, None),
        ("documents.move", ENGINEERING, None),
        ("documents.permanent_delete", None, None),
        ("collections.update", ENGINEERING, None),
        ("collections.create", None, None),
        ("revisions.create", ENGINEERING, {ENGINEERING}),
        ("users.signin", None, set()),
        ("comments.create", ENGINEERING, set()),
    ],
)
def test_where_to_look(event, collection, where):
    assert concerned(hint(delivery(event, collection))) == where


class Sync:
    """What hints wake; it takes as long as it is told to."""

    def __init__(self, time):
        self.time = time
        self.woken = []
        self.meanwhile = lambda: None
        self.error = None

    async def __call__(self, collections):
        self.woken.append((round(self.time.now - 1000, 6), collections))
        self.meanwhile()
        if self.error is not None:
            raise self.error


async def idle():
    """Let all that is ready run; time only moves when somebody sleeps on it."""
    for _ in range(50):
        await asyncio.sleep(0)


@pytest.fixture
async def world():
    time = FakeTime()
    sync = Sync(time)
    async with Wakeups(sync, monotonic=time.monotonic, sleep=time.sleep) as wakeups:
        yield time, sync, wakeups


def update(collection=ENGINEERING):
    return hint(delivery("documents.update", collection))


async def test_many_hints_wake_once_after_a_quiet_moment(world):
    _, sync, wakeups = world
    for collection in (ENGINEERING, OPERATIONS, ENGINEERING):
        wakeups.add(update(collection))
    await idle()

    assert sync.woken == [(0.3, frozenset({ENGINEERING, OPERATIONS}))]


async def test_one_hint_about_all_is_about_all(world):
    _, sync, wakeups = world
    wakeups.add(update())
    wakeups.add(hint(delivery("collections.delete")))
    wakeups.add(update(OPERATIONS))
    await idle()

    assert sync.woken == [(0.3, None)]


async def test_a_hint_about_nothing_wakes_nobody(world):
    _, sync, wakeups = world
    wakeups.add(hint(delivery("users.signin")))
    await idle()

    assert sync.woken == []


async def test_who_types_without_a_pause_is_seen_after_a_second():
    time = FakeTime()
    sync = Sync(time)

    async def sleep(seconds):
        # A hint every 0.1 s, for 2.5 s in all.
        for _ in range(round(seconds * 10)):
            await time.sleep(0.1)
            if time.now < 1002.5:
                wakeups.add(update())

    async with Wakeups(sync, monotonic=time.monotonic, sleep=sleep) as wakeups:
        wakeups.add(update())
        await idle()

    moments = [moment for moment, _ in sync.woken]
    assert moments[0] == pytest.approx(1.0)
    assert all(later - earlier <= 1.11 for earlier, later in pairwise(moments))
    assert moments[-1] <= 2.4 + 0.31


async def test_a_hint_during_the_sync_wakes_it_again(world):
    _, sync, wakeups = world
    during = [update(OPERATIONS)]
    sync.meanwhile = lambda: during and wakeups.add(during.pop())
    wakeups.add(update())
    await idle()

    assert [where for _, where in sync.woken] == [{ENGINEERING}, {OPERATIONS}]


async def test_a_failing_sync_is_woken_again(world, caplog):
    _, sync, wakeups = world
    sync.error = RuntimeError("no")
    wakeups.add(update())
    await idle()
    sync.error = None
    wakeups.add(update(OPERATIONS))
    await idle()

    assert [where for _, where in sync.woken] == [{ENGINEERING}, {OPERATIONS}]
    assert "could not be woken" in caplog.text


async def test_closing_stops_what_was_woken_and_hears_no_more():
    begun, ended = asyncio.Event(), []

    async def wake(_):
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    time = FakeTime()
    wakeups = Wakeups(wake, monotonic=time.monotonic, sleep=time.sleep)
    wakeups.add(update())  # not open yet
    async with wakeups:
        assert not begun.is_set()
        wakeups.add(update())
        await begun.wait()
    wakeups.add(update())
    await idle()

    assert ended == [True]
