"""Every operation of REST, in the order in which routes are looked at."""

from starlette.routing import Route

from personal_context.web.pace import Pace
from personal_context.web.rest import (
    changes,
    contents,
    outbox,
    reindexing,
    searching,
    shelves,
    state,
    syncing,
)
from personal_context.web.rest.operations import (
    SHORT,
    AnyOperation,
    routes_of,
    routes_under,
)
from personal_context.web.services import Services

OPERATIONS: tuple[AnyOperation, ...] = (
    *searching.OPERATIONS,
    *contents.OPERATIONS,
    *changes.OPERATIONS,
    *shelves.OPERATIONS,
    *syncing.OPERATIONS,
    *reindexing.OPERATIONS,
    *outbox.OPERATIONS,
    *state.OPERATIONS,
)


def routes(services: Services, pace: Pace) -> list[Route]:
    """Return the routes of every operation, bound to *services*."""
    return [
        *routes_of(OPERATIONS, services, pace),
        *routes_under(SHORT, shelves.SHORT_OPERATIONS, services, pace),
    ]
