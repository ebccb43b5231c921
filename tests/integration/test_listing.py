"""What there is and what changed, at each door."""

import json
import logging
from datetime import timedelta

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError
from mirror_world import MovingClock
from product import built_product, opened_product
from web_client import app, client

from personal_context.cli.app import run
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import SearchFilters
from personal_context.server.mcp import build_mcp


@pytest.fixture
async def product(tmp_path):
    clock = MovingClock()
    async with opened_product(tmp_path, clock=clock) as product:
        product.old = product.write("Old", "Long ago.")
        product.doomed = product.write("Doomed", "Not for long.")
        await product.sync()
        clock.now += timedelta(days=30)
        product.new = product.write("New", "Just now.", product.prompts)
        product.sandbox.documents.trash(product.doomed)
        await product.sync()
        yield product


async def test_what_changed_this_week_with_who_and_what(product):
    found = await product.runtime.listing.list_content(updated_since="7d")

    [new] = found.contents
    assert (new.content.id, found.total) == (product.new, 1)
    assert new.change.operation == "create"
    assert new.change.actor  # as the wiki names its people
    [gone] = found.removed
    assert gone.content_id == product.doomed
    assert gone.details.startswith("Doomed: ")


async def test_pages_follow_each_other(product):
    first = await product.runtime.listing.list_content(sort="title", limit=1)
    second = await product.runtime.listing.list_content(
        sort="title", limit=1, cursor=first.next_cursor
    )

    titles = [page.contents[0].content.title for page in (first, second)]
    assert titles == ["New", "Old"]
    assert second.next_cursor is None
    with pytest.raises(InvalidInput, match="cursor"):
        await product.runtime.listing.list_content(sort="place", cursor=first.next_cursor)


async def test_filters_and_nonsense(product):
    only = SearchFilters(collection="Prompts")
    found = await product.runtime.listing.list_content(filters=only)
    assert [one.content.title for one in found.contents] == ["New"]
    assert found.removed == ()
    for wrong in ({"limit": 0}, {"limit": 101}, {"updated_since": "soon"}):
        with pytest.raises(InvalidInput):
            await product.runtime.listing.list_content(**wrong)


async def test_over_rest(product):
    async with client(app(product.runtime)) as browser:
        answer = (await browser.get("/api/content", params={"updated_since": "1 week"})).json()
        wrong = [
            (await browser.get("/api/content", params=params)).status_code
            for params in ({"sort": "colour"}, {"limit": "x"}, {"updated_since": "99999999d"})
        ]

    assert [one["title"] for one in answer["documents"]] == ["New"]
    assert answer["documents"][0]["change"]["by"]
    assert [one["id"] for one in answer["removed"]] == [product.doomed]
    assert wrong == [400, 400, 400]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_over_mcp(tmp_path, mode):
    async with built_product(tmp_path) as product:
        product.write("Timetable\n- evil", "Seven.")

        async def opened(_):
            await product.sync()

        async with Client(build_mcp(product.runtime, opened=opened), mode=mode) as asker:
            found = await asker.call_tool("list_content", {"collection": "handbook"})
            with pytest.raises(ToolError, match="'soon' is no time"):
                await asker.call_tool("list_content", {"updated_since": "soon"})

    [one] = found.structured_content["documents"]
    assert one["path"] == ["Handbook"]
    assert one["change"]["operation"] == "create"
    assert found.content[0].text.splitlines()[1].startswith("- Timetable - evil (id ")


@pytest.fixture
def _here(monkeypatch, tmp_path):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("PERSONAL_CONTEXT_DB_PATH", str(tmp_path / "store" / "context.db"))
    monkeypatch.chdir(tmp_path)
    root = logging.getLogger()
    kept, level = root.handlers[:], root.level
    yield
    root.handlers[:] = kept
    root.setLevel(level)
    logging.captureWarnings(capture=False)


@pytest.mark.usefixtures("_here")
def test_on_the_command_line(capsys, tmp_path):
    (tmp_path / "key.md").write_text("# Spare key\n\nBehind the barometer.")
    run(["add", "key.md", "--tag", "house"])
    capsys.readouterr()

    assert run(["list", "--tag", "house", "--since", "1d"]) == 0
    assert "Spare key" in capsys.readouterr().out
    assert run(["list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["documents"][0]["change"]["details"] == "added here"
    assert run(["list", "--since", "soon"]) == 2
