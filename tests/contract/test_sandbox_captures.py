"""Every recorded request, sent to the sandbox: same status, same keys and types in the answer.

Values are not compared, but error messages are, and the headers that come only with a 429.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from sandbox_recordings import EVENTS, KEY, NEEDS, NOT_REPLAYED, hooked

from personal_context.upstream.sandbox.app import Sandbox, create_sandbox

CAPTURES = Path(__file__).parents[2] / "../shared/outline/captures"
pytestmark = pytest.mark.skipif(not CAPTURES.is_dir(), reason="no recordings here")

DIFFERENCES = {
    ".data.content": "editor JSON is made of plain paragraphs",
    ".language": "the language is not guessed",
}
"""Ends of paths where only the key is compared, each with its reason.

Besides: an ability may name the memberships it comes from; here it is always a boolean.
"""


class Clock:
    """A clock that goes on by a second with every look at it."""

    def __init__(self, step: timedelta = timedelta(seconds=1)) -> None:
        self.now = datetime(2026, 11, 21, 7, 0, tzinfo=UTC)
        self.step = step

    def __call__(self) -> datetime:
        self.now += self.step
        return self.now


def shape(value: Any, path: str = "") -> dict[str, set[str]]:
    """Return the JSON types at every path; all members of a list count as one."""
    if any(path.endswith(end) for end in DIFFERENCES):
        return {path: {"whatever"}}
    if ".abilities." in path:
        assert isinstance(value, bool | list)
        return {path.removesuffix("[]"): {"ability"}}
    kind = "number" if isinstance(value, int | float) and not isinstance(value, bool) else ""
    found = {path: {kind or type(value).__name__}}
    children: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        children = [(f"{path}.{key}", child) for key, child in value.items()]
    elif isinstance(value, list):
        children = [(f"{path}[]", child) for child in value]
    for name, child in children:
        for place, kinds in shape(child, name).items():
            found.setdefault(place, set()).update(kinds)
    return found


def load(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((CAPTURES / name).read_text())
    return content


def body_of(request: dict[str, Any]) -> bytes:
    body = request["body"]
    if isinstance(body, str):
        return body.encode()
    if body and body.get("text") == "<1600000 chars>":
        body = body | {"text": "x" * 1_600_000}
    return b"" if body is None else json.dumps(body).encode()


async def replay(sandbox: Sandbox, request: dict[str, Any]) -> httpx.Response:
    address = urlsplit(request["url"])
    headers = {
        name: value.replace("ol_api_<redacted>", KEY) for name, value in request["headers"].items()
    }
    transport = httpx.ASGITransport(sandbox.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://sandbox") as client:
        return await client.request(
            request["method"],
            f"{address.path}?{address.query}" if address.query else address.path,
            content=body_of(request),
            headers=headers,
        )


def prepared(name: str) -> Sandbox:
    recorded = load(name)["response"]
    limited = recorded["status"] == 429
    sandbox = create_sandbox(
        api_keys={KEY: None},
        version="1.9.2" if name.startswith("v1.9.2/") else "main",
        clock=Clock(timedelta(milliseconds=1) if limited else timedelta(seconds=1)),
        rate_limits=limited,
        requests_per_minute=int(recorded["headers"]["RateLimit-Limit"]) if limited else 1000,
    )
    NEEDS[name](sandbox)
    return sandbox


def recordings() -> set[str]:
    return {str(file.relative_to(CAPTURES)) for file in CAPTURES.rglob("*.json")}


def test_no_recording_is_passed_over_in_silence():
    known = set(NEEDS) | set(EVENTS) | set(NOT_REPLAYED)

    assert known == recordings()


@pytest.mark.parametrize("name", sorted(NEEDS))
async def test_answer_has_the_recorded_form(name):
    recorded = load(name)
    wanted = recorded["response"]
    sandbox = prepared(name)

    answer = await replay(sandbox, recorded["request"])
    if wanted["status"] == 429:
        for _ in range(int(wanted["headers"]["RateLimit-Limit"])):
            assert answer.status_code != 429
            answer = await replay(sandbox, recorded["request"])

    assert answer.status_code == wanted["status"]
    assert answer.headers["content-type"] == wanted["headers"]["Content-Type"]
    if wanted["status"] == 302:
        assert answer.headers["location"].startswith("http://127.0.0.1:3100/api/files.get?sig=")
        return
    assert shape(answer.json()) == shape(wanted["body"])
    if not wanted["body"]["ok"]:
        assert answer.json() == wanted["body"]


@pytest.mark.parametrize("name", sorted(name for name in NEEDS if "429" in name))
async def test_the_limit_s_headers_have_the_recorded_form(name):
    recorded = load(name)
    wanted = {k.lower(): v for k, v in recorded["response"]["headers"].items()}
    sandbox = prepared(name)

    answer = None
    for _ in range(int(wanted["ratelimit-limit"]) + 1):
        answer = await replay(sandbox, recorded["request"])

    assert answer is not None
    assert answer.headers["ratelimit-limit"] == wanted["ratelimit-limit"]
    assert answer.headers["ratelimit-remaining"] == wanted["ratelimit-remaining"]
    assert ("." in answer.headers["retry-after"]) == ("." in wanted["retry-after"])
    assert _letters(answer.headers["ratelimit-reset"]) == _letters(wanted["ratelimit-reset"])


def _letters(text: str) -> str:
    return "".join("0" if character.isdigit() else character for character in text)


@pytest.mark.parametrize("name", sorted(EVENTS))
async def test_delivery_has_the_recorded_form(name):
    recorded = load(name)["request"]
    event = name.removeprefix("webhook.").removesuffix(".json")
    received: list[httpx.Request] = []

    def receive(request: httpx.Request) -> httpx.Response:
        received.append(request)
        return httpx.Response(200)

    sandbox = create_sandbox(version="main", clock=Clock(), rate_limits=False)
    hooked(sandbox)
    EVENTS[name](sandbox)
    async with httpx.AsyncClient(transport=httpx.MockTransport(receive)) as client:
        await sandbox.webhooks.deliver(client)
    # The last one: a step before may have caused the same event.
    found = [r for r in received if json.loads(r.content)["event"] == event]

    assert len(found) == 1
    assert shape(json.loads(found[0].content)) == shape(recorded["body"])
    assert found[0].headers["user-agent"] == recorded["headers"]["User-Agent"]
    assert found[0].headers["content-type"] == recorded["headers"]["content-type"]
    assert found[0].headers["outline-signature"].startswith("t=")
