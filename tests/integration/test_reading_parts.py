"""A long document is read in parts, at each door."""

import json
import logging

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError
from product import built_product, opened_product
from web_client import app, client

from personal_context.cli.app import run
from personal_context.server.mcp import build_mcp

LONG = "\n\n".join(
    f"{'#' * (1 + number % 2)} Part {number}\n\n{f'word{number} ' * 300}" for number in range(60)
)


@pytest.fixture(params=["auto", "legacy"])
async def asker(request, tmp_path):
    async with built_product(tmp_path) as product:
        wanted = product.write("Long", LONG)

        async def opened(_):
            await product.sync()

        async with Client(build_mcp(product.runtime, opened=opened), mode=request.param) as asker:
            asker.long = wanted
            yield asker


async def test_a_long_document_comes_in_parts_with_its_contents(asker):
    got, cursor, parts = "", None, 0
    while parts == 0 or cursor:
        more = {"cursor": cursor} if cursor else {}
        read = await asker.call_tool(
            "get_content", {"content_id": asker.long, "max_tokens": 8_000, **more}
        )
        told, parts = read.structured_content, parts + 1
        assert told["tokens"] <= 8_000
        got, cursor = got + told["text"], told["more"]

    assert got.split() == LONG.split()
    assert 4 < parts < 10
    assert told["headings"][2] == {
        "number": 3,
        "level": 1,
        "title": "Part 2",
        "line": 9,
        "tokens": told["headings"][2]["tokens"],
    }
    assert "3. Part 2 (line 9" in read.content[0].text


async def test_by_default_no_answer_is_larger_than_clients_take(asker):
    read = await asker.call_tool("get_content", {"content_id": asker.long})

    assert 8_000 < read.structured_content["tokens"] <= 10_000
    assert read.structured_content["more"]
    assert f"More with cursor {read.structured_content['more']}" in read.content[0].text


async def test_one_section_is_read_by_name_number_and_path(asker):
    for section in ("Part 3", "4", "Part 2 > Part 3", "## part 3"):
        read = await asker.call_tool(
            "get_content", {"content_id": asker.long, "section": section, "max_tokens": 1_000}
        )
        assert read.structured_content["text"].startswith("## Part 3\n\nword3 ")
        assert "word4" not in read.structured_content["text"]
    with pytest.raises(ToolError, match=r"no section 'Part 99'[^$]*1 Part 0; 2 Part 1"):
        await asker.call_tool("get_content", {"content_id": asker.long, "section": "Part 99"})


async def test_over_rest(tmp_path):
    async with opened_product(tmp_path) as product:
        wanted = product.write("Long", LONG)
        await product.sync()
        async with client(app(product.runtime)) as browser:
            whole = (await browser.get(f"/api/content/{wanted}")).json()
            part = await browser.get(
                f"/api/content/{wanted}", params={"from_line": 9, "max_tokens": 120}
            )
            wrong = await browser.get(f"/api/content/{wanted}", params={"from_line": "first"})
            beyond = await browser.get(f"/api/content/{wanted}", params={"from_line": "9999"})

    assert whole["text"].split() == LONG.split()
    assert (whole["more"], whole["headings"]) == (None, [])
    assert part.json()["text"].startswith("# Part 2\n")
    assert part.json()["line_start"] == 9
    assert part.json()["more"]
    assert wrong.status_code == beyond.status_code == 400


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
    (tmp_path / "long.md").write_text(LONG)
    assert run(["add", "long.md", "--json"]) == 0
    added = json.loads(capsys.readouterr().out)["id"]

    assert run(["get", added, "--section", "Part 3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["text"].startswith("## Part 3\n")
    assert run(["get", added, "--from-line", "9", "--max-tokens", "100"]) == 0
    printed = capsys.readouterr().out
    assert "More with cursor" in printed
    assert "word2" in printed
    assert run(["get", added, "--section", "Nowhere"]) == 2
    assert run(["get", added, "--markdown", "--section", "Part 3"]) == 2
