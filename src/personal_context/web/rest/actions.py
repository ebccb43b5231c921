"""A spec for assistants that take an OpenAPI document as their actions, such as ChatGPT's. Pure.

Their limits: at most 30 operations, 300 characters for an operation's description and 700 for a
parameter's, and one server.
"""

from typing import Any
from urllib.parse import urlsplit

from personal_context.domain.errors import InvalidInput
from personal_context.web.rest.everything import OPERATIONS
from personal_context.web.rest.openapi import openapi

MOST_OPERATIONS = 30
LONGEST_DESCRIPTION = 300
LONGEST_PARAMETER = 700

MOST_TOKENS = 10_000
"""Of a document that fit into the 100,000 characters of an answer, in any script."""


def actions(*, version: str, server_url: str) -> dict[str, Any]:
    """Return the spec of the operations that make sense for an assistant.

    Args:
        version: Of the program.
        server_url: Where the assistant reaches this server.

    Raises:
        InvalidInput: It is no web address.
    """
    parts = urlsplit(server_url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise InvalidInput(
            f"{server_url[:100]!r} is not an address of a server.",
            hint="Write it as https://context.example.com.",
        )
    offered = [operation for operation in OPERATIONS if operation.action]
    spec = openapi(offered, version=version, server_url=server_url.rstrip("/"))
    for item in spec["paths"].values():
        for told in item.values():
            for parameter in told.get("parameters", ()):
                # An assistant that asks for all of a long document gets nothing.
                if parameter["name"] == "max_tokens" and not parameter["schema"].get("default"):
                    parameter["required"] = True
                    parameter["description"] += f" {MOST_TOKENS:,} fit into an answer."
            # What an error looks like, the assistant sees when there is one.
            told["responses"] = {
                status: answer
                for status, answer in told["responses"].items()
                if status.startswith("2")
            }
    return spec
