"""Which tools clients are shown, what that costs, and what they can call."""

import json

import jsonschema
import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError
from product import built_product

from personal_context.embeddings.tokens import PromptTokenCounter
from personal_context.server.mcp import build_mcp
from personal_context.tools.profiles import CORE

MORE = ("delete_content", "restore_content", "reindex", "full_resync", "outbox")
META = ("discover_tools", "get_tool_spec", "execute_tool")
READING = tuple(name for name in CORE if name not in {"add_content", "add_url", "update_content"})


@pytest.fixture(params=["auto", "legacy"])
def asked(request, tmp_path):
    """Ask the product with a profile of tools."""

    async def ask(profile, ask_it):
        async with built_product(tmp_path / profile, tools=profile) as product:
            product.write("Timetable", "# Verse\n\nThe ferry leaves at seven.")

            async def opened(_):
                await product.sync()

            mcp = build_mcp(product.runtime, opened=opened)
            async with Client(mcp, mode=request.param) as asker:
                return await ask_it(asker)

    return ask


@pytest.mark.parametrize(
    ("profile", "names", "most"),
    [
        ("core", CORE, 6_000),
        ("full", CORE + MORE, 8_500),
        ("readonly", READING, 4_500),
        ("lean", META, 700),
    ],
)
async def test_a_profile_shows_its_tools_and_costs_little(asked, profile, names, most):
    tools = await asked(profile, lambda asker: asker.list_tools())

    listing = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    [tokens] = PromptTokenCounter()([json.dumps({"tools": listing}, ensure_ascii=False)])
    assert set(names) == {tool.name for tool in tools}
    assert profile == "full" or [tool.name for tool in tools] == list(names)
    assert len(tools) <= 12 or profile == "full"
    assert tokens <= most


async def test_who_is_not_shown_is_not_called(asked):
    async def delete(asker):
        with pytest.raises(ToolError, match="delete_content"):
            await asker.call_tool("delete_content", {"content_id": "x"})

    async def add(asker):
        with pytest.raises(ToolError, match="add_content"):
            await asker.call_tool("add_content", {"content": "x", "title": "y"})
        found = await asker.call_tool("search", {"query": "ferry"})
        return found.structured_content["total"]

    await asked("core", delete)
    assert await asked("readonly", add) == 1


async def test_only_what_reads_says_so(asked):
    tools = await asked("full", lambda asker: asker.list_tools())

    hints = {tool.name: tool.annotations for tool in tools}
    assert {name for name, hint in hints.items() if hint.read_only_hint} == set(READING)
    destroying = {name for name, hint in hints.items() if hint.destructive_hint}
    assert destroying == {"update_content", "delete_content", "outbox"}
    outward = {name for name, hint in hints.items() if hint.open_world_hint}
    assert outward == {*hints} - set(READING) | {"sync_status"}
    assert all(hint.idempotent_hint is not None for hint in hints.values())


async def test_short_schemas_are_true(asked):
    calls = {
        "search": {"query": "ferry", "tags": None},
        "get_context": {"query": "ferry"},
        "list_content": {"updated_since": "7d"},
        "load_personal_prompts": {},
        "sync_status": {"wait": True},
        "add_content": {"content": "ferry", "title": "Ferry"},
        "outbox": {},
        "full_resync": {},
        "reindex": {"action": "status"},
    }

    async def answers(asker):
        schemas = {tool.name: tool for tool in await asker.list_tools()}
        found = (await asker.call_tool("search", {"query": "ferry"})).structured_content
        calls["get_content"] = {"content_id": found["results"][0]["id"]}
        calls["find_similar"] = {"text": "ferry", "threshold": -1}
        for name, arguments in calls.items():
            given = await asker.call_tool(name, arguments)
            schema = schemas[name].output_schema
            jsonschema.validate(given.structured_content, schema)
            assert set(given.structured_content) == set(schema["properties"]), name
            sent = {key: value for key, value in arguments.items() if value is not None}
            jsonschema.validate(sent, schemas[name].input_schema)

    await asked("full", answers)


async def test_three_tools_lead_to_all_others(asked):
    async def lead(asker):
        every = await asker.call_tool("discover_tools", {})
        found = await asker.call_tool("discover_tools", {"pattern": "resync trash"})
        spec = await asker.call_tool("get_tool_spec", {"tool_name": "search"})
        ran = await asker.call_tool(
            "execute_tool", {"tool_name": "search", "parameters": {"query": "ferry"}}
        )
        wrong = []
        for name, parameters in (
            ("execute_tool", {}),
            ("nothing", {}),
            ("search", {"query": "x", "limit": 0}),
            ("get_content", {"content_id": "nope"}),
        ):
            with pytest.raises(ToolError) as caught:
                await asker.call_tool("execute_tool", {"tool_name": name, "parameters": parameters})
            wrong.append(str(caught.value))
        with pytest.raises(ToolError, match="no tool 'x'"):
            await asker.call_tool("get_tool_spec", {"tool_name": "x"})
        return every, found, spec, ran, wrong

    every, found, spec, ran, wrong = await asked("lean", lead)

    names = {tool["name"] for tool in every.structured_content["tools"]}
    assert names == {*CORE, *MORE}
    assert (
        {"full_resync", "delete_content"}
        <= {tool["name"] for tool in found.structured_content["tools"]}
        < names
    )
    whole = spec.structured_content["spec"]
    assert whole["inputSchema"]["properties"]["query"]["description"]
    assert "description" in json.dumps(whole["outputSchema"])
    assert ran.structured_content["results"][0]["title"] == "Timetable"
    assert "Timetable" in ran.content[0].text
    assert "no tool 'execute_tool'" in wrong[0]
    assert "Known are: " in wrong[1]
    assert wrong[2].startswith("The arguments of search can't be used.")
    assert "No content goes by 'nope'" in wrong[3]
