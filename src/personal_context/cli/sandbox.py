"""Commands around the Outline stand-in: `sandbox` serves it, `demo` the whole product on it."""

import asyncio
import contextlib
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import prepared_settings
from personal_context.cli.output import progress_bars
from personal_context.config import Settings
from personal_context.domain.errors import ConfigError, InvalidInput
from personal_context.runtime import Runtime, build_runtime
from personal_context.server.listening import HttpOptions, listen
from personal_context.server.serving import serve as serve_runtime, web_server
from personal_context.upstream.sandbox.app import Sandbox, create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY
from personal_context.upstream.sandbox.folder import load_folder, sample_wiki

LOCALHOST = "127.0.0.1"


async def demo(*, port: int = 8000, common: Common = PLAIN) -> None:
    """Try everything with a sample wiki: no account, no key, nothing left behind.

    Parameters
    ----------
    port
        Where the page and MCP are served; a free port when it is taken.
    """
    with tempfile.TemporaryDirectory(prefix="personal-context-demo-") as folder:
        listening = listen(LOCALHOST, 0)
        wiki = f"http://{LOCALHOST}:{listening.getsockname()[1]}"
        async with create_sandbox(base_url=wiki, name="Sample wiki") as sandbox:
            load_folder(sandbox, sample_wiki())
            async with _served(sandbox, listening):
                settings = _demo_settings(Path(folder), wiki, common)
                await serve_runtime(
                    build_runtime(settings),
                    "http",
                    HttpOptions(LOCALHOST, _free(port), None),
                    opened=_mirror,
                    ready=lambda http: _invite(http, wiki),
                )


async def sandbox(
    *,
    port: int = 3100,
    folder: Path | None = None,
    version: Literal["1.9.2", "main"] = "1.9.2",
    database: Path | None = None,
    rate_limits: bool = True,
    common: Common = PLAIN,
) -> None:
    """Serve an Outline stand-in: the same API, limits and faults of character.

    Parameters
    ----------
    port
        Where it listens, on this machine only.
    folder
        Serve a folder of Markdown files: folders in it are collections. Default: a sample wiki.
    version
        Which Outline it behaves like.
    database
        A file that keeps the wiki; without it, the wiki is gone in the end.
    rate_limits
        Answer 429 as Outline does. Trouble of other kinds is ordered at /sandbox/faults.
    """
    import httpx

    prepared_settings(verbose=common.verbose, **_NO_OUTLINE)
    source = _existing(folder or sample_wiki())
    listening = listen(LOCALHOST, port)
    url = f"http://{LOCALHOST}:{listening.getsockname()[1]}"
    async with (
        httpx.AsyncClient(timeout=5) as webhooks,
        create_sandbox(
            base_url=url,
            version=version,
            database=database,
            webhook_client=webhooks,
            rate_limits=rate_limits,
        ) as wiki,
    ):
        load_folder(wiki, source)
        sys.stderr.write(
            f"Outline {version} stand-in at {url}\n"
            f"  PERSONAL_CONTEXT_OUTLINE_API_BASE={url}\n"
            f"  PERSONAL_CONTEXT_OUTLINE_API_KEY={DEMO_KEY}\n"
            "  PERSONAL_CONTEXT_SYNC_COLLECTIONS=*\n"
        )
        server = web_server(wiki.app, own_signals=True)
        await server.serve(sockets=[listening])


_NO_OUTLINE = {
    "outline_api_base": None,
    "outline_api_key": None,
    "outline_collection_id": None,
    "prompts_collection_id": None,
    "sync_collections": (),
}


def _existing(folder: Path) -> Path:
    if not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder.", hint="Give a folder of Markdown files.")
    return folder


def _demo_settings(folder: Path, wiki: str, common: Common) -> Settings:
    # Every setting is decided here: a person's own .env must not leak into the demo.
    defaults = {name: field.default for name, field in Settings.model_fields.items()}
    decided = {
        "db_path": folder / "context.db",
        "embedding_provider": "local",
        "outline_api_base": wiki,
        "outline_api_key": DEMO_KEY,
        "outline_collection_id": "Handbook",
        "prompts_collection_id": "Agent prompts",
        "sync_collections": ("*",),
    }
    return prepared_settings(verbose=common.verbose, **defaults | decided)


@asynccontextmanager
async def _served(wiki: Sandbox, listening: socket.socket) -> AsyncIterator[None]:
    server = web_server(wiki.app)
    task = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield
    finally:
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await task


def _free(port: int) -> int:
    try:
        listen(LOCALHOST, port).close()
    except ConfigError:
        return 0
    return port


async def _mirror(runtime: Runtime) -> None:
    """Fill the store before anything is served, with bars on a terminal."""
    with progress_bars(shown=True) as report:
        await runtime.sync.sync_now(on_progress=report)
        embedding = asyncio.ensure_future(runtime.embed_backlog())
        while not embedding.done():
            await asyncio.wait([embedding], timeout=0.1)
            progress = (await runtime.indexer.status()).progress
            report("Vectors", progress.done, progress.total)
        await embedding


def _invite(http: HttpOptions, wiki: str) -> None:
    sys.stderr.write(
        f"""
Ready. The sample wiki of a small company is mirrored and searchable.

  Page         {http.url}/
  Wiki         {wiki}/   (the sandbox that plays Outline)
  Claude Code  claude mcp add --transport http personal-context {http.url}/mcp
  curl         curl '{http.url}/api/search?q=get+the+database+back+after+a+crash'

Ctrl-C stops everything; nothing is left behind.
"""
    )
