"""The sandbox: an Outline stand-in as an ASGI app, with a person's hands and faults on order."""

from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from personal_context.upstream.sandbox import pages
from personal_context.upstream.sandbox.auth import DEMO_KEY, People
from personal_context.upstream.sandbox.call import Services
from personal_context.upstream.sandbox.collections import Collections
from personal_context.upstream.sandbox.documents import Documents
from personal_context.upstream.sandbox.faults import Faults
from personal_context.upstream.sandbox.files import Files
from personal_context.upstream.sandbox.limits import DEFAULT_REQUESTS, RateLimiter
from personal_context.upstream.sandbox.listing import Lister
from personal_context.upstream.sandbox.models import Clock, User, Version, iso
from personal_context.upstream.sandbox.server import Api, LoggedRequest
from personal_context.upstream.sandbox.state import State
from personal_context.upstream.sandbox.switches import Switches
from personal_context.upstream.sandbox.tree import Tree
from personal_context.upstream.sandbox.webhooks import Webhooks
from personal_context.upstream.sandbox.world import World, stable_ids

DEFAULT_URL = "http://127.0.0.1:3100"
LOG_LENGTH = 20_000
"""Requests that the log keeps."""

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


class Sandbox:
    """A whole Outline. Made by `create_sandbox`.

    Attributes:
        app: The ASGI app. It needs no lifespan.
        documents: A person's hands on documents.
        collections: A person's hands on collections.
        people: Users and API keys.
        webhooks: `await webhooks.deliver()` sends what waits.
        faults: Trouble on order.
        requests: What arrived, oldest first; the last 20,000.
        services: All parts, for what stands beside the app.
    """

    def __init__(self, services: Services, faults: Faults, limiter: RateLimiter | None) -> None:
        self.services = services
        self.documents = services.documents
        self.collections = services.collections
        self.people = services.people
        self.webhooks = services.webhooks
        self.faults = faults
        self.requests: deque[LoggedRequest] = deque(maxlen=LOG_LENGTH)
        world = services.world
        files = Files(world.state, world.clock, services.base_url)
        api = Api(services, faults, limiter, files, self.requests)
        self.app = Starlette(
            routes=[
                Route("/api/{endpoint}", api.answer, methods=_METHODS),
                Route("/doc/{reference}", self._document),
                Switches(faults, services.people, lambda: api.arrived).route(),
                Route("/", self._overview),
            ]
        )

    async def __aenter__(self) -> Self:
        """Open the database."""
        _ = self.services.world.state.connection
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop deliveries and close the database."""
        await self.webhooks.aclose()
        self.services.world.state.close()

    def calls(self, endpoint: str | None = None) -> list[LoggedRequest]:
        """Return the requests so far, or those to one endpoint."""
        return [entry for entry in self.requests if endpoint in {None, entry.endpoint}]

    async def _overview(self, _request: Request) -> Response:
        return pages.overview(self.services)

    async def _document(self, request: Request) -> Response:
        return pages.document(self.services, request.path_params["reference"])


def create_sandbox(
    *,
    base_url: str = DEFAULT_URL,
    api_keys: Mapping[str, tuple[str, ...] | None] | None = None,
    version: Version = "1.9.2",
    clock: Clock | None = None,
    rate_limits: bool = True,
    requests_per_minute: int = DEFAULT_REQUESTS,
    database: Path | None = None,
    webhook_client: httpx.AsyncClient | None = None,
    name: str = "Sandbox",
) -> Sandbox:
    """Make a sandbox. It opens itself at first use; `async with` closes it in the end.

    Args:
        base_url: Where it will be reached; stands in few answers.
        api_keys: Tokens and their scopes, None for all; they act for the sandbox's own person,
            an admin. Without any, `auth.DEMO_KEY` opens it.
        version: The released Outline, or the one under development with filters,
            `lastRevision`, limits for lists and whole numbers in 429 headers.
        clock: Present moment, aware; real time if None.
        rate_limits: Answer 429 as the real one does.
        requests_per_minute: Size of the bucket shared by endpoints without a limit of their own.
        database: File that survives the process; None keeps the wiki in memory.
        webhook_client: Sends webhooks at once; None keeps them until `webhooks.deliver(client)`.
        name: Of the workspace.
    """
    clock = clock or _real_time
    person, team = stable_ids("person")[0], stable_ids("team")[0]
    now = iso(clock())
    ada = User(person, "Ada Admin", "ada@example.com", "admin", "#e600e0", now, now)
    state = State(database, first_user=ada)
    webhooks = Webhooks(state, clock, version, webhook_client)
    world = World(state, Tree(state), clock, version, person, webhooks.emit)
    services = Services(
        world=world,
        documents=Documents(world),
        collections=Collections(world),
        people=People(world),
        lister=Lister(state),
        webhooks=webhooks,
        base_url=base_url.rstrip("/"),
        team_id=team,
        team_name=name,
    )
    for token, scopes in (api_keys or {DEMO_KEY: None}).items():
        services.people.add_key(token, scopes=scopes)
    limiter = RateLimiter(version, clock, requests_per_minute) if rate_limits else None
    return Sandbox(services, Faults(), limiter)


def _real_time() -> datetime:
    return datetime.now(UTC)
