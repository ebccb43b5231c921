"""What is documented is what there is, and the other way round."""

import re
from pathlib import Path

import pytest
from fastmcp import Client, FastMCP

from personal_context.config import PREFIX, Settings, load_settings
from personal_context.tools.register import register_tools

ROOT = Path(__file__).parents[2]
VARIABLES = {PREFIX + name.upper() for name in Settings.model_fields}


def read(path):
    return (ROOT / path).read_text("utf-8")


def test_every_setting_has_its_line_in_the_example():
    assert set(re.findall(rf"^({PREFIX}\w+)=", read(".env.example"), re.MULTILINE)) == VARIABLES


def test_every_setting_has_its_entry_in_the_docs():
    headings = re.findall(rf"^### `({PREFIX}\w+)`$", read("docs/settings.md"), re.MULTILINE)

    assert set(headings) == VARIABLES
    assert len(headings) == len(VARIABLES)


def test_the_example_says_what_the_defaults_are(tmp_path, monkeypatch):
    (tmp_path / ".env").write_text(read(".env.example"), "utf-8")
    monkeypatch.chdir(tmp_path)

    assert load_settings() == load_settings(_env_file=None)


@pytest.fixture
async def tools():
    mcp = FastMCP("docs")
    register_tools(mcp, None)
    async with Client(mcp) as client:
        return {tool.name: tool for tool in await client.list_tools()}


async def test_every_tool_has_its_entry_in_the_docs(tools):
    assert re.findall(r"^## `(\w+)`$", read("docs/tools.md"), re.MULTILINE) != []
    assert set(re.findall(r"^## `(\w+)`$", read("docs/tools.md"), re.MULTILINE)) == set(tools)


async def test_every_argument_of_a_tool_is_in_its_table(tools):
    for section in read("docs/tools.md").split("\n## ")[1:]:
        tool = tools[section.split("`")[1]]
        documented = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
        assert documented == set(tool.input_schema["properties"]), tool.name


async def test_every_tool_tells_its_effects_and_the_shape_of_its_answer(tools):
    for tool in tools.values():
        assert tool.annotations.read_only_hint is not None, tool.name
        assert tool.output_schema["properties"], tool.name
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), (tool.name, name)


def test_every_decision_is_numbered_once():
    numbers = [path.name[:4] for path in sorted((ROOT / "docs/decisions").glob("*.md"))]

    assert numbers == [f"{n:04}" for n in range(1, len(numbers) + 1)]
