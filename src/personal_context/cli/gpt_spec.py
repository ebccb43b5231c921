"""The command that prints what an assistant needs to use the server over REST."""

import json
import sys
from importlib.metadata import version


def gpt_spec(*, server_url: str) -> None:
    """Print an OpenAPI spec for a ChatGPT action, or any assistant that takes one.

    Paste it into the action's schema, and choose API key, Basic, with `user:password` in Base64 as
    the key.

    Parameters
    ----------
    server_url
        Where the assistant reaches this server, e.g. https://context.example.com.
    """
    # Not at the top: other commands need none of it.
    from personal_context.web.rest.actions import actions

    spec = actions(version=version("personal-context"), server_url=server_url)
    if not server_url.startswith("https:"):
        sys.stderr.write("personal-context: ChatGPT calls https:// addresses only\n")
    sys.stdout.write(json.dumps(spec, ensure_ascii=False, indent=2) + "\n")
