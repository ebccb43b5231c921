"""Changing contents through the doors: MCP and the shell."""

import json

import pytest
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from processes import environment, run
from product import opened_product

from personal_context.tools.errors import TranslateErrors
from personal_context.tools.register import register_tools

pytestmark = pytest.mark.timeout(300)
TEXT = "First words.\n\nSecond words."


@pytest.fixture
async def door(tmp_path):
    async with opened_product(tmp_path, outline_allow_delete=True) as product:
        mcp = FastMCP("test", middleware=[TranslateErrors()])
        register_tools(mcp, product.runtime)
        page = product.write("Page", TEXT)
        await product.sync()
        async with Client(mcp) as client:
            yield product, client, page


async def test_a_model_reads_changes_deletes_and_restores(door):
    product, client, page = door
    read = (await client.call_tool("get_content", {"content_id": page})).structured_content
    arguments = {
        "content_id": page,
        "mode": "patch",
        "find": "Second",
        "content": "Other",
        "expected_hash": read["hash"],
    }

    changed = (await client.call_tool("update_content", arguments)).structured_content
    assert changed["outline"] == "synced"
    assert product.sandbox.documents.get(page).text == "First words.\n\nOther words."
    with pytest.raises(ToolError) as error:
        await client.call_tool("update_content", arguments)
    assert "+Other words." in str(error.value)
    assert changed["hash"] in str(error.value)
    gone = (await client.call_tool("delete_content", {"content_id": page})).structured_content
    assert gone["outline"] == "synced"
    assert product.sandbox.documents.get(page).deleted_at
    back = (await client.call_tool("restore_content", {"content_id": page})).structured_content
    assert (back["outline"], back["title"]) == ("synced", "Page")
    found = (await client.call_tool("search", {"query": "other words"})).structured_content
    assert found["results"][0]["hash"] == back["hash"]


def test_the_shell_changes_deletes_and_restores(tmp_path):
    env = environment(tmp_path)
    added = json.loads(run("add", "-", "--json", env=env, stdin="# Note\n\nOld words.").stdout)
    key = added["id"]
    done = run("update", key, "-", "--mode", "append", "--json", env=env, stdin="New words.")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outline"] == "local"
    assert "New words." in run("get", key, env=env).stdout
    stale = run("update", key, "--title", "T", "--expected-hash", "0" * 16, env=env)
    assert (stale.returncode, "not any more" in stale.stderr) == (1, True)
    assert run("delete", key, env=env).returncode == 0
    assert run("get", key, env=env).returncode == 1
    assert run("restore", key, env=env).returncode == 0
    assert "Old words." in run("get", key, env=env).stdout
