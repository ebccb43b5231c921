"""Real MCP clients on a real socket, with and without a login."""

import re

import httpx2
import pytest
from fastmcp import Client
from fastmcp.client.transports import SSETransport, StreamableHttpTransport
from processes import Talk, environment

LOGIN = {"HTTP_AUTH_USERNAME": "ann", "HTTP_AUTH_PASSWORD": "p%40ss wörd:x"}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("http")
    arguments = ("serve", "--transport", "http")
    with Talk(*arguments, env=environment(folder, **LOGIN)) as server:
        yield re.search(r"page (\S+)/ ", server.stderr_until("page http")).group(1)


def login(password=LOGIN["HTTP_AUTH_PASSWORD"]):
    return httpx2.BasicAuth("ann", password)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    ("transport", "path"), [(StreamableHttpTransport, "/mcp"), (SSETransport, "/sse")]
)
async def test_with_the_login_a_client_works(address, transport, path, mode):
    async with Client(transport(address + path, auth=login()), mode=mode) as client:
        await client.call_tool("add_content", {"title": "Kettle", "content": "Copper."})
        found = await client.call_tool("search", {"query": "copper"})

    assert found.structured_content["results"][0]["title"] == "Kettle"


@pytest.mark.parametrize("auth", [None, login("wrong")])
@pytest.mark.parametrize(
    ("transport", "path"), [(StreamableHttpTransport, "/mcp"), (SSETransport, "/sse")]
)
async def test_without_it_a_client_is_refused(address, transport, path, auth):
    with pytest.raises(Exception, match=r"401|error response"):
        async with Client(transport(address + path, auth=auth)):
            pass
