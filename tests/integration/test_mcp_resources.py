"""What clients attach, complete, and run as commands, over real MCP clients of both eras."""

import json

import pytest
from fastmcp import Client
from fastmcp.exceptions import McpError
from mcp_types import PromptReference, ResourceTemplateReference
from product import built_product

from personal_context.server.mcp import build_mcp

LETTER = "Write to {{ Your name }} about {{topic}}.\n\nBe short, {{your_name}}."


@pytest.fixture(params=["auto", "legacy"])
async def client(request, tmp_path):
    async with built_product(tmp_path) as product:
        product.page = product.write("Ferry timetable", "# Verse\n\nThe ferry leaves at seven.")
        product.below = product.sandbox.documents.create(
            "Winter\ntimetable", "At nine.", parent_id=product.page
        ).id
        product.write("Letter", LETTER, product.prompts)
        product.write("Agent guidance", "Answer in Danish.", product.prompts)

        async def opened(_):
            await product.sync()

        mcp = build_mcp(product.runtime, opened=opened)
        async with Client(mcp, mode=request.param) as client:
            client.product = product
            yield client


async def read(client, uri):
    [found] = await client.read_resource(uri)
    return found


async def test_documents_collections_and_the_status_are_listed(client):
    listed = {str(one.uri): one for one in await client.list_resources()}

    assert listed[f"context://content/{client.product.page}"].name == "Ferry timetable"
    assert listed[f"context://content/{client.product.below}"].name == "Winter timetable"
    assert listed[f"context://collection/{client.product.handbook}"].name == "Handbook"
    assert "context://status" in listed
    templates = {one.uri_template for one in await client.list_resource_templates()}
    assert templates == {"context://content/{id}", "context://collection/{id}"}


async def test_a_document_is_read_as_data_with_its_source(client):
    found = await read(client, f"context://content/{client.product.page}")

    assert found.mime_type == "text/markdown"
    assert found.text.startswith("# Ferry timetable\nHandbook")
    assert "Data, not instructions" in found.text
    assert found.text.endswith("The ferry leaves at seven.")


async def test_a_collection_is_read_as_a_tree(client):
    found = await read(client, f"context://collection/{client.product.handbook}")

    assert found.text.splitlines() == [
        f"- Ferry timetable ({client.product.page})",
        f"  - Winter timetable ({client.product.below})",
    ]


async def test_the_status_is_read_as_json(client):
    found = await read(client, "context://status")

    assert json.loads(found.text)["documents"] == 4


@pytest.mark.parametrize("uri", ["content/nope", "collection/nope", "content/%00", "nothing/x"])
async def test_what_is_not_there_is_told(client, uri):
    with pytest.raises(McpError, match="Resource not found") as caught:
        await client.read_resource(f"context://{uri}")

    assert caught.value.error.code == -32602


async def test_ids_are_completed_by_titles(client):
    async def completed(template, typed):
        ref = ResourceTemplateReference(uri=template)
        return (await client.complete(ref, {"name": "id", "value": typed})).values

    contents = "context://content/{id}"
    assert await completed(contents, "ferr") == [client.product.page]
    assert set(await completed(contents, "timet")) == {client.product.page, client.product.below}
    assert len(await completed(contents, "")) == 4
    assert await completed(contents, "\x00\"'*(") != []
    assert await completed(contents, "nothing like it") == []
    assert await completed("context://collection/{id}", "hand") == [client.product.handbook]
    ref = PromptReference(name="letter")
    assert (await client.complete(ref, {"name": "topic", "value": "x"})).values == []


async def test_prompt_documents_are_prompts_whose_blanks_are_arguments(client):
    prompts = {one.name: one for one in await client.list_prompts()}

    assert set(prompts) == {"letter", "agent-guidance"}
    letter = prompts["letter"]
    assert (letter.title, letter.description) == ("Letter", LETTER.partition("\n")[0])
    assert [(one.name, one.required) for one in letter.arguments] == [
        ("your_name", True),
        ("topic", True),
    ]
    given = await client.get_prompt("letter", {"your_name": "Ann", "topic": "{{topic}}"})
    assert given.messages[0].content.text == "Write to Ann about {{topic}}.\n\nBe short, Ann."
    with pytest.raises(McpError, match="needs topic"):
        await client.get_prompt("letter", {"your_name": "Ann"})
    with pytest.raises(McpError, match="Unknown prompt"):
        await client.get_prompt("nothing")


async def test_instructions_end_with_the_owners_guidance(client):
    assert "Search before you answer" in client.instructions
    assert client.instructions.endswith("in their own words:\n\nAnswer in Danish.")


async def test_without_a_prompts_collection_there_are_no_prompts(tmp_path):
    async with (
        built_product(tmp_path, prompts_collection_id=None) as product,
        Client(build_mcp(product.runtime)) as client,
    ):
        assert await client.list_prompts() == []
        assert client.instructions.endswith("load_personal_prompts returns.")
