"""Trouble on order, the log, a state that survives, and the pages for a person."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap

import httpx
import pytest
from sandbox_world import Wiki

from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY
from personal_context.upstream.sandbox.faults import ANY


@pytest.fixture
def wiki():
    return Wiki()


def count(wiki):
    return len(wiki.sandbox.services.world.state.execute("SELECT 1 FROM documents"))


async def test_a_status_hits_so_many_requests(wiki):
    wiki.sandbox.faults.status("documents.list", 503, times=2, headers={"retry-after": "7"})

    answers = [await wiki.send("documents.list") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [503, 503, 200]
    assert answers[0].headers["retry-after"] == "7"
    assert wiki.sandbox.faults.waiting == 0


async def test_other_endpoints_are_spared(wiki):
    wiki.sandbox.faults.status("documents.list", 500)

    assert (await wiki.send("collections.list")).status_code == 200
    wiki.sandbox.faults.clear()
    wiki.sandbox.faults.html(ANY)
    assert (await wiki.send("collections.list")).text.startswith("<html>")


async def test_before_or_after_the_work(wiki):
    faults = wiki.sandbox.faults
    arguments = {"title": "x", "collectionId": wiki.eng}
    faults.status("documents.create", 500)
    faults.status("documents.create", 500, after=True)
    faults.timeout("documents.create", after=True)
    faults.timeout("documents.create")
    faults.refuse("documents.create")
    made = []
    for expected in (None, None, httpx.ReadTimeout, httpx.ReadTimeout, httpx.ConnectError):
        if expected is None:
            await wiki.send("documents.create", **arguments)
        else:
            with pytest.raises(expected):
                await wiki.send("documents.create", **arguments)
        made.append(count(wiki))

    assert made == [0, 1, 2, 2, 2]


async def test_a_cut_body_and_one_of_garbage(wiki):
    wiki.sandbox.faults.cut("documents.list")
    wiki.sandbox.faults.garbage("documents.list")

    with pytest.raises(httpx.RemoteProtocolError, match="complete message body"):
        await wiki.send("documents.list")
    answer = await wiki.send("documents.list")
    assert answer.status_code == 200
    with pytest.raises(ValueError, match="Unterminated"):
        answer.json()


async def test_a_held_request_waits(wiki):
    gate = wiki.sandbox.faults.hold("documents.list")
    arrived = asyncio.Event()
    wiki.sandbox.faults.before_request(1, arrived.set)
    held = asyncio.create_task(wiki.send("documents.list"))
    await arrived.wait()

    assert (await wiki.send("documents.list")).status_code == 200
    assert not held.done()
    gate.set()
    assert (await held).status_code == 200


async def test_a_delay_passes(wiki):
    wiki.sandbox.faults.delay("documents.list", 0.001)

    assert (await wiki.send("documents.list")).status_code == 200


async def test_hooks_run_once_at_their_place(wiki):
    seen = []
    faults = wiki.sandbox.faults

    async def note():
        seen.append("second list")

    faults.before_page(3, lambda: seen.append("page 3"))
    faults.before_request(2, note, endpoint="documents.list")
    for offset in (0, 10, 20, 20):
        await wiki.send("documents.list", limit=10, offset=offset)
        seen.append(offset)
    await wiki.send("documents.list", limit="x", offset="y")

    assert seen == [0, "second list", 10, "page 3", 20, 20]


async def test_the_log_tells_what_came(wiki):
    await wiki.send("documents.list", limit=7)
    await wiki.send("collections.list", b"{broken")

    assert [(r.endpoint, r.body, r.status) for r in wiki.sandbox.calls()] == [
        ("documents.list", {"limit": 7}, 200),
        ("collections.list", {}, 400),
    ]
    assert len(wiki.sandbox.calls("documents.list")) == 1


async def test_a_failing_request_leaves_nothing_behind(wiki):
    key = wiki.add("Title", publish=False, collection_id=None)
    before = wiki.sandbox.documents.get(key)

    text = "![dot](data:image/png;base64,aGVsbG8=)"
    refusal = await wiki.refusal("documents.update", id=key, text=text, publish=True)

    assert refusal[0] == 400
    assert wiki.sandbox.services.world.state.execute("SELECT 1 FROM attachments") == []
    assert wiki.sandbox.documents.get(key) == before


async def test_a_wiki_on_disk_is_there_again(tmp_path):
    file = tmp_path / "wiki.db"
    async with create_sandbox(database=file) as first:
        home = first.collections.create("Home").id
        key = first.documents.create("Kept", collection_id=home).id
    async with create_sandbox(database=file) as again:
        assert again.documents.get(key).title == "Kept"
        assert again.documents.create("Next", collection_id=home).id != key


def test_a_killed_process_loses_nothing_that_was_answered(tmp_path):
    script = """
        import os, sys, pathlib
        from personal_context.upstream.sandbox.app import create_sandbox
        sandbox = create_sandbox(database=pathlib.Path(sys.argv[1]))
        home = sandbox.collections.create("Home").id
        while True:
            print(sandbox.documents.create("x", collection_id=home).id, flush=True)
    """
    file = tmp_path / "wiki.db"
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), str(file)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        made = [process.stdout.readline().decode().strip() for _ in range(20)]
        os.kill(process.pid, signal.SIGKILL)

    sandbox = create_sandbox(database=file)

    assert all(sandbox.documents.get(key).live for key in made)
    tree = sandbox.services.world.tree.nodes(sandbox.collections.all()[0].id)
    assert {node["id"] for node in tree} >= set(made)


async def page(wiki, path):
    transport = httpx.ASGITransport(wiki.sandbox.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://wiki") as client:
        return await client.get(path)


async def test_pages_show_text_as_text(wiki):
    key = wiki.add("<script>alert(1)</script>", text="<img src=x onerror=alert(1)>")
    overview = await page(wiki, "/")
    document = await page(wiki, wiki.sandbox.documents.get(key).url)

    for answer in (overview, document):
        assert answer.status_code == 200
        assert "<script>" not in answer.text
        assert "<img" not in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert wiki.sandbox.documents.get(key).url in overview.text
    assert "&lt;img src=x" in document.text


async def test_pages_for_what_is_gone(wiki):
    key = wiki.add("Gone")
    address = wiki.sandbox.documents.get(key).url
    wiki.sandbox.documents.trash(key)

    assert (await page(wiki, address)).status_code == 404
    assert (await page(wiki, "/doc/x")).status_code == 404
    assert (await page(wiki, "/nothing")).status_code == 404


async def test_an_attachment_opens_for_five_minutes(wiki):
    key = wiki.add("Title", text="![dot](data:image/png;base64,aGVsbG8=)")
    text = wiki.sandbox.documents.get(key).text
    query = text.partition("?id=")[2].rstrip(")")
    transport = httpx.ASGITransport(wiki.sandbox.app)
    headers = {"authorization": f"Bearer {DEMO_KEY}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://wiki") as client:
        path = "/api/attachments.redirect"
        redirect = await client.get(path, params={"id": query}, headers=headers)
        address = redirect.headers["location"]
        without_key = await client.get(path, params={"id": query})
        file = await client.get(address)
        forged = await client.get(address[:-1] + "x")
        wiki.clock.tick(301)
        late = await client.get(address)

    assert (redirect.status_code, without_key.status_code) == (302, 401)
    assert (file.content, file.headers["content-type"]) == (b"hello", "image/png")
    assert (forged.status_code, late.status_code) == (401, 401)
