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

from personal_context.sync.looking import where_to_look
from personal_context.sync.wakeups import MOST_REMEMBERED, Replays, Wakeups
from personal_context.sync.webhooks import WINDOW, Hint, concerned, hint, verify

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
    wish = concerned([found] if found else [])

    assert wish.documents.keys() | wish.collections <= {
        found and found.document_id,
        found and found.collection_id,
    }


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
        ("documents.update", ENGINEERING, DOCUMENT),
        ("documents.update", None, DOCUMENT),
        ("documents.move", ENGINEERING, DOCUMENT),
        ("documents.permanent_delete", None, DOCUMENT),
        ("collections.update", ENGINEERING, "as a whole"),
        ("collections.delete", None, "as a whole"),
        ("collections.move", ENGINEERING, None),
        ("users.signin", None, None),
        ("comments.create", ENGINEERING, None),
    ],
)
def test_where_to_look(event, collection, where):
    wish = concerned([hint(delivery(event, collection))])

    assert list(wish.documents) == ([DOCUMENT] if where == DOCUMENT else [])
    # What a collection's delivery is about is its payload's id.
    assert wish.collections == ({DOCUMENT} if where == "as a whole" else set())
    assert not wish.everything


def test_a_revision_is_about_its_document_and_a_collection_without_an_id_about_all():
    model = {"id": OPERATIONS, "documentId": DOCUMENT}
    body = json.dumps({"event": "revisions.create", "payload": {"id": OPERATIONS, "model": model}})

    assert list(concerned([hint(body.encode())]).documents) == [DOCUMENT]
    assert concerned([hint(b'{"event": "collections.create", "payload": {}}')]).everything


def about(event, **model):
    payload = {"id": DOCUMENT, "model": {"collectionId": ENGINEERING} | model}
    return hint(json.dumps({"event": event, "payload": payload}).encode())


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        ({"publishedAt": "2026-01-01T00:00:00.000Z"}, True),
        ({"publishedAt": None}, False),
        ({"publishedAt": "2026-01-01T00:00:00.000Z", "archivedAt": "2026-01-02"}, False),
        ({"publishedAt": "2026-01-01T00:00:00.000Z", "deletedAt": "2026-01-02"}, False),
        ({}, None),
    ],
)
def test_a_delivery_says_whether_the_document_is_shown(model, shown):
    assert about("documents.update", **model).shown is shown


def test_hints_about_one_document_are_one_and_the_weightier_part_of_each_counts():
    draft = about("documents.create", publishedAt=None)
    move = about("documents.move", publishedAt="2026-01-01T00:00:00.000Z")
    gone = hint(delivery("documents.permanent_delete", None))

    for hints in ([draft, move, gone], [gone, draft, move], [move, gone, draft]):
        [one] = concerned(hints).documents.values()
        assert (one.moves, one.collection_id, one.shown) == (True, ENGINEERING, None)
    assert concerned([draft, draft]).documents[DOCUMENT].shown is False


@pytest.mark.parametrize(
    ("hint_", "held", "where"),
    [
        (about("documents.update"), {DOCUMENT: ENGINEERING}, ENGINEERING),
        (about("documents.update"), {}, ENGINEERING),  # perhaps new
        (about("documents.update", publishedAt=None), {}, None),
        (about("documents.unpublish", publishedAt=None), {DOCUMENT: ENGINEERING}, ENGINEERING),
        (about("documents.move", collectionId=OPERATIONS), {DOCUMENT: ENGINEERING}, ENGINEERING),
        (about("documents.move"), {DOCUMENT: OPERATIONS}, ENGINEERING),
        (about("documents.update", collectionId=OPERATIONS), {}, None),
        (hint(delivery("documents.permanent_delete", None)), {}, None),
        (hint(delivery("documents.permanent_delete", None)), {DOCUMENT: ENGINEERING}, ENGINEERING),
    ],
)
def test_a_document_is_looked_at_in_the_mirrored_collection_that_has_or_had_it(hint_, held, where):
    found = where_to_look({DOCUMENT: hint_}, held, {ENGINEERING})

    assert list(found) == ([where] if where else [])


def test_a_delivery_is_known_again_as_long_as_its_signature_is_good():
    now = [NOW]
    replays = Replays(lambda: now[0])

    assert replays.is_new(DOCUMENT)
    now[0] += 2 * WINDOW - timedelta(seconds=1)
    assert not replays.is_new(DOCUMENT)
    assert replays.is_new(None)
    assert replays.is_new(None)
    now[0] += timedelta(seconds=1)
    assert replays.is_new(DOCUMENT)
    now[0] -= timedelta(days=1)  # the machine's clock is set back
    assert replays.is_new(DOCUMENT)


def test_what_is_remembered_of_deliveries_is_bounded():
    replays = Replays(lambda: NOW)
    for number in range(MOST_REMEMBERED + 10):
        assert replays.is_new(str(number))

    assert not replays.is_new(str(MOST_REMEMBERED))
    assert replays.is_new("0")


class Sync:
    """What hints wake; it takes as long as it is told to."""

    def __init__(self, time):
        self.time = time
        self.woken = []
        self.meanwhile = lambda: None
        self.error = None

    async def __call__(self, wish):
        about = {one.collection_id for one in wish.documents.values()} | wish.collections
        self.woken.append((round(self.time.now - 1000, 6), about))
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
    return hint(delivery("documents.update", collection, document=collection))


async def test_many_hints_wake_once_after_a_quiet_moment(world):
    _, sync, wakeups = world
    for collection in (ENGINEERING, OPERATIONS, ENGINEERING):
        wakeups.add(update(collection))
    await idle()

    assert sync.woken == [(0.3, {ENGINEERING, OPERATIONS})]


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
