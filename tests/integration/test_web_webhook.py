"""The webhook's route behind the guards."""

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from web_client import basic, client

from personal_context.sync.deliveries import Verdict
from personal_context.web.routes import error_handlers
from personal_context.web.security import Credentials, allowed_hosts, guards
from personal_context.web.webhooks import LARGEST, PATH, routes

SIGNATURE = "t=1,s=2"


class Judge:
    """Finds what it is told to find, and remembers what it was shown."""

    def __init__(self, verdict=Verdict.GENUINE):
        self.verdict = verdict
        self.judged = []
        self.heeded = []
        self.busy = asyncio.Event()
        self.busy.set()

    async def judge(self, signature, body):
        self.judged.append((signature, body))
        return self.verdict

    async def heed(self, body):
        await self.busy.wait()
        self.heeded.append(body)


def served(judge):
    application = Starlette(
        routes=routes(judge),
        middleware=guards(
            Credentials("ann", "pw"),
            hosts=allowed_hosts("127.0.0.1"),
            open_paths=[PATH],
            larger_bodies={PATH: LARGEST},
        ),
        exception_handlers=dict(error_handlers()),
    )
    return client(application)


async def test_a_genuine_delivery_is_heeded_without_login_and_under_any_name():
    judge = Judge()
    async with served(judge) as web:
        answer = await web.post(
            PATH,
            content=b'{"x": "\xff"}',
            headers={"host": "context.example.com", "outline-signature": SIGNATURE},
        )

    assert (answer.status_code, answer.content) == (200, b"")
    assert judge.judged == [(SIGNATURE, b'{"x": "\xff"}')]
    assert judge.heeded == [b'{"x": "\xff"}']


async def test_the_answer_does_not_wait_for_what_follows():
    judge = Judge()
    judge.busy.clear()
    status = asyncio.Queue()

    async def send(message):
        if message["type"] == "http.response.start":
            await status.put(message["status"])

    async def receive():
        return {"type": "http.request", "body": b"{}", "more_body": False}

    scope = {"type": "http", "method": "POST", "path": PATH, "headers": [], "query_string": b""}
    route = routes(judge)[0]
    answering = asyncio.create_task(route.handle(scope, receive, send))

    assert await status.get() == 200
    assert judge.heeded == []
    judge.busy.set()
    await answering
    assert judge.heeded == [b"{}"]


async def test_a_wrong_signature_learns_nothing():
    judge = Judge(Verdict.REFUSED)
    async with served(judge) as web:
        answer = await web.post(PATH, content=b"{}")

    assert (answer.status_code, answer.content) == (401, b"")
    assert "www-authenticate" not in answer.headers
    assert judge.judged == [(None, b"{}")]
    assert judge.heeded == []


async def test_not_set_up_it_is_not_there():
    judge = Judge(Verdict.UNEXPECTED)
    async with served(judge) as web:
        answer = await web.post(PATH, content=b"{}")
        elsewhere = await web.post("/nowhere", content=b"{}", headers=basic("ann", "pw"))

    assert answer.status_code == elsewhere.status_code == 404
    assert answer.json() == elsewhere.json()
    assert judge.heeded == []


async def test_two_signatures_are_none():
    judge = Judge(Verdict.REFUSED)
    async with served(judge) as web:
        headers = [("outline-signature", SIGNATURE), ("outline-signature", SIGNATURE)]
        await web.post(PATH, content=b"{}", headers=headers)

    assert judge.judged == [(None, b"{}")]


@pytest.mark.parametrize(("size", "status"), [(LARGEST, 200), (LARGEST + 1, 413)])
async def test_a_body_may_be_large_but_not_huge(size, status):
    judge = Judge()

    async def pieces():
        for start in range(0, size, 1_000_000):
            yield b"x" * min(1_000_000, size - start)

    async with served(judge) as web:
        declared = await web.post(PATH, content=b"x" * size)
        streamed = await web.post(PATH, content=pieces())

    assert (declared.status_code, streamed.status_code) == (status, status)
    assert [len(body) for body in judge.heeded] == ([size, size] if status == 200 else [])


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_only_post_is_taken(method):
    async with served(Judge()) as web:
        assert (await web.request(method, PATH)).status_code == 405


async def test_a_browser_on_another_page_may_not_send_it():
    judge = Judge()
    async with served(judge) as web:
        answer = await web.post(PATH, content=b"{}", headers={"origin": "https://evil.example"})

    assert answer.status_code == 403
    assert judge.judged == []


async def test_nothing_else_is_open():
    async with served(Judge()) as web:
        assert (await web.post(PATH + "/x")).status_code == 401
        assert (await web.post("/", headers={"host": "context.example.com"})).status_code == 421


async def test_whoever_hangs_up_in_the_middle_is_not_judged():
    judge = Judge()
    messages = [
        {"type": "http.request", "body": b"{", "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive():
        return messages.pop(0)

    async def send(_):
        raise AssertionError

    scope = {"type": "http", "method": "POST", "path": PATH, "headers": [], "query_string": b""}
    with pytest.raises(ClientDisconnect):
        await routes(judge)[0].handle(scope, receive, send)

    assert judge.judged == []
