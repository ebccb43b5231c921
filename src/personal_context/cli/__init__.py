"""The command line: `personal-context`, and `uv run main.py`, which is the same."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 failed, 2 asked for wrongly.

    Args:
        arguments: Without the program's name; those of this process by default.
    """
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    if not tokens:
        # An MCP client starts us like this and waits: skip the parser.
        from personal_context.cli.serving import serve_by_default

        return serve_by_default()
    from personal_context.cli.app import run

    return run(tokens)
