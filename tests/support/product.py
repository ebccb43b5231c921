"""The whole product on a sandbox, with a quick embedder, for tests of the doors."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
from hashing_embedder import HashingEmbedder
from mirror_world import WIKI, MovingClock

from personal_context.config import Settings, load_settings
from personal_context.runtime import Runtime, build_runtime
from personal_context.upstream.sandbox.app import Sandbox, create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY

Around = Callable[[httpx.AsyncBaseTransport], httpx.AsyncBaseTransport]


@dataclass
class Product:
    """A runtime that is open or not, the wiki behind it, and the embedder in it."""

    runtime: Runtime
    sandbox: Sandbox
    embedder: HashingEmbedder
    handbook: str
    prompts: str

    def write(self, title: str, text: str, collection: str | None = None) -> str:
        """Publish a document in the wiki, as a person would."""
        made = self.sandbox.documents.create(
            title, text, collection_id=collection or self.handbook, index=10_000
        )
        return made.id

    async def pushed(self) -> None:
        """Wait until what adds have begun to push has come to its end."""
        await asyncio.gather(*self.runtime.contents._adder._offers._pushing)

    async def sync(self) -> None:
        """Bring the mirror and its vectors up to date."""
        await self.runtime.sync.sync_now()
        await self.runtime.embed_backlog()


def product_settings(folder: Path, **more: object) -> Settings:
    """Settings for a product on the sandbox; `more` overrides."""
    values: dict[str, object] = {
        "db_path": folder / "store" / "context.db",
        "embedding_provider": "local",
        "outline_api_base": WIKI,
        "outline_api_key": DEMO_KEY,
        "outline_collection_id": "Handbook",
        "prompts_collection_id": "Prompts",
        "sync_collections": ("*",),
        "tools": "full",
    }
    return load_settings(**values | more)


@contextlib.asynccontextmanager
async def built_product(
    folder: Path,
    *,
    clock: MovingClock | None = None,
    wiki_clock: MovingClock | None = None,
    embedder: HashingEmbedder | None = None,
    around: Around = lambda wire: wire,
    **settings: object,
) -> AsyncIterator[Product]:
    """Build everything; the caller opens the runtime, by itself or by a server's lifespan.

    Args:
        folder: Where the store is.
        embedder: The product's; an ordinary quick one if None.
        clock: The product's; the real one if None.
        wiki_clock: The wiki's; if None the product's, or a moving one.
        around: Put around the wire to the wiki, e.g. `Spoiled`.
        settings: Override the usual ones.
    """
    wiki_clock = wiki_clock or clock or MovingClock()
    async with create_sandbox(clock=wiki_clock, base_url=WIKI, rate_limits=False) as sandbox:
        handbook = sandbox.collections.create("Handbook")
        prompts = sandbox.collections.create("Prompts")
        embedder = embedder or HashingEmbedder()
        yield Product(
            runtime=build_runtime(
                product_settings(folder, **settings),
                transport=around(httpx.ASGITransport(sandbox.app)),
                embedder=embedder,
                clock=clock,
            ),
            sandbox=sandbox,
            embedder=embedder,
            handbook=handbook.id,
            prompts=prompts.id,
        )


@contextlib.asynccontextmanager
async def opened_product(
    folder: Path, *, clock: MovingClock | None = None, **settings: object
) -> AsyncIterator[Product]:
    """Build and open everything; nothing runs by itself."""
    async with built_product(folder, clock=clock, **settings) as product, product.runtime:
        yield product


def beside(product: Product, folder: Path, *, clock: MovingClock | None = None) -> Runtime:
    """Build another process on the same store, as far as the store can tell."""
    return build_runtime(
        product.runtime.settings.model_copy(update={"db_path": product_settings(folder).db_path}),
        transport=httpx.ASGITransport(product.sandbox.app),
        embedder=HashingEmbedder(),
        clock=clock,
    )
