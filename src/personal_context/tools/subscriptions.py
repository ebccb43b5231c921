"""Who wants to be told of changes, and telling them: in both eras of the protocol.

A client of the handshake era subscribes to addresses, and hears of lists on the stream of its
connection. Since 2026-07-28 a client listens with one request, whose answer is the stream.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

import mcp_types as types
from fastmcp import FastMCP
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)

from personal_context.domain.errors import PersonalContextError
from personal_context.domain.models import LogEntry
from personal_context.tools.resources import COLLECTION, CONTENT, STATUS
from personal_context.tools.services import Services

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.session import ServerSession

logger = logging.getLogger(__name__)

LOOK_EVERY = 1.0
"""Seconds between two looks at the log: it also holds what other processes do."""

LISTS = "lists"
"""What a connection is interested in that has asked for a list."""

_MOVES = frozenset({"create", "move", "trash", "restore", "purge", "forget", "let go"})
"""Operations that change which documents there are, or where."""


class Subscribers:
    """Connections and streams, and what each wants to be told."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self._wanted: dict[int, tuple[ServerSession, set[str]]] = {}

    def want(self, session: "ServerSession", what: str) -> None:
        """Tell the connection of a session of an address, or of lists, from now on."""
        connection = session._connection  # noqa: SLF001 - what lives on between requests
        if id(connection) not in self._wanted:
            self._wanted[id(connection)] = (session, set())
            connection.exit_stack.callback(self._wanted.pop, id(connection), None)
        self._wanted[id(connection)][1].add(what)

    def leave(self, session: "ServerSession", what: str) -> None:
        """Tell it no more."""
        known = self._wanted.get(id(session._connection))  # noqa: SLF001 - as above
        if known is not None:
            known[1].discard(what)

    async def tell(self, *events: ServerEvent) -> None:
        """Tell everybody who wants to know."""
        for event in events:
            await self.bus.publish(event)
            what = event.uri if isinstance(event, ResourceUpdated) else LISTS
            for session, wanted in list(self._wanted.values()):
                if what in wanted:
                    await session.send_notification(_NOTIFICATIONS[type(event)](event))


_NOTIFICATIONS: dict[type, Callable[[Any], types.ServerNotification]] = {
    ResourceUpdated: lambda event: types.ResourceUpdatedNotification(
        params=types.ResourceUpdatedNotificationParams(uri=event.uri)
    ),
    PromptsListChanged: lambda _: types.PromptListChangedNotification(),
    ResourcesListChanged: lambda _: types.ResourceListChangedNotification(),
}


class NoteListeners(Middleware):
    """Notes which connections have asked for lists that may change."""

    def __init__(self, subscribers: Subscribers) -> None:
        self._subscribers = subscribers

    async def on_list_prompts(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> Any:  # noqa: ANN401 - passed through
        """Note who asks for the prompts."""
        self._note(context)
        return await call_next(context)

    async def on_list_resources(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> Any:  # noqa: ANN401 - passed through
        """Note who asks for the resources."""
        self._note(context)
        return await call_next(context)

    def _note(self, context: MiddlewareContext[Any]) -> None:
        asking = context.fastmcp_context
        if asking is not None and asking.request_context is not None:
            self._subscribers.want(asking.session, LISTS)


def serve_subscriptions(mcp: FastMCP, subscribers: Subscribers) -> None:
    """Let clients of both eras subscribe."""

    async def subscribe(
        ctx: "ServerRequestContext[Any, Any]", params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        subscribers.want(ctx.session, str(params.uri))
        return types.EmptyResult()

    async def unsubscribe(
        ctx: "ServerRequestContext[Any, Any]", params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        subscribers.leave(ctx.session, str(params.uri))
        return types.EmptyResult()

    server = mcp._mcp_server  # noqa: SLF001 - FastMCP has no public way to serve these methods
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, unsubscribe)
    server.add_request_handler(
        "subscriptions/listen",
        types.SubscriptionsListenRequestParams,
        ListenHandler(subscribers.bus),
    )


async def tell_news(
    services: Services,
    subscribers: Subscribers,
    prompts_changed: Callable[[], Awaitable[None]],
    *,
    look_every: float = LOOK_EVERY,
) -> None:
    """Tell subscribers what is logged, here or by another process, until cancelled.

    Args:
        services: The log, and prompts.
        subscribers: Whom to tell.
        prompts_changed: Awaited when a document of the prompts collection was changed.
        look_every: Seconds between two looks.
    """
    mark: int | None = None
    while True:
        try:
            mark, lines = await services.listing.news(mark)
            if lines:
                prompts = await services.prompts.collection()
                if prompts is not None and any(one.collection_id == prompts for one in lines):
                    await prompts_changed()
                    await subscribers.tell(PromptsListChanged())
                await subscribers.tell(*events_of(lines))
        except PersonalContextError as error:
            logger.warning("subscribers are told later: %s", error.what)
        await asyncio.sleep(look_every)


def events_of(lines: Sequence[LogEntry]) -> list[ServerEvent]:
    """Return what changed by lines of the log: documents, trees, lists, and the status."""
    moved = [one for one in lines if one.operation in _MOVES]
    addresses = [f"{CONTENT}{one.content_id}" for one in lines if one.content_id]
    addresses += [f"{COLLECTION}{one.collection_id}" for one in moved if one.collection_id]
    events: list[ServerEvent] = [ResourcesListChanged()] if moved else []
    return events + [ResourceUpdated(uri=uri) for uri in dict.fromkeys([*addresses, STATUS])]
