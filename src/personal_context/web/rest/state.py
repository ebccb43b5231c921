"""How everything is."""

from personal_context.domain.models import Status
from personal_context.web.health import HealthAnswer, health_of
from personal_context.web.rest.operations import AnyOperation, Call, Operation, Reply

TAG = "Status"


async def _status(call: Call[None, None]) -> Status:
    return await call.services.status()


async def _health(call: Call[None, None]) -> Reply:
    answer = await health_of(call.services)
    return Reply(answer, 503 if answer.state == "failing" else 200)


OPERATIONS: tuple[AnyOperation, ...] = (
    Operation(
        "getStatus",
        "GET",
        "/status",
        "Everything at a glance",
        "Get what is mirrored, how fresh it is, what is indexed, and what waits for Outline.",
        TAG,
        _status,
        {200: Status},
    ),
    Operation(
        "getHealth",
        "GET",
        "/health",
        "What works",
        "Get each part of the product and whether it works; 503 if it can't answer.",
        TAG,
        _health,
        {200: HealthAnswer, 503: HealthAnswer},
        action=False,
    ),
)
