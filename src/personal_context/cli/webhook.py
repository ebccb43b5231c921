"""Commands for the webhook: whether Outline tells of changes at once."""

from typing import TYPE_CHECKING

from cyclopts import App
from rich.console import Group
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import opened_runtime
from personal_context.cli.output import FAILED
from personal_context.domain.models import WebhookState, WebhookStatus

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import RenderableType


def webhook_commands() -> App:
    """Return the commands below `webhook`."""
    app = App(name="webhook", help="Let Outline tell of changes at once.")
    for command in (enable, status, disable):
        app.command(command)
    return app


async def enable(*, common: Common = PLAIN) -> int:
    """Subscribe to changes in Outline, or set the subscription right; needs an admin's key."""
    async with opened_runtime(verbose=common.verbose) as runtime:
        return _shown(await runtime.webhook.enable(), common)


async def status(*, common: Common = PLAIN) -> int:
    """Show whether Outline tells of changes, and when it last did."""
    async with opened_runtime(verbose=common.verbose) as runtime:
        return _shown(await runtime.webhook.status(), common)


async def disable(*, common: Common = PLAIN) -> int:
    """Unsubscribe; changes are found by polling then."""
    async with opened_runtime(verbose=common.verbose) as runtime:
        return _shown(await runtime.webhook.disable(), common)


def _shown(now: WebhookStatus, common: Common) -> int:
    common.show(now, lambda: _render(now))
    return 0 if now.problem is None else FAILED


def _render(now: WebhookStatus) -> "RenderableType":
    lines = [Text(f"Webhook: {now.state}", style="bold")]
    if now.url:
        lines.append(Text(f"Address: {now.url}"))
    if now.state is not WebhookState.OFF:
        last = f"{_moment(now.last_delivery_at)} ({now.last_event})"
        lines.append(Text(f"Made: {_moment(now.created_at)}"))
        lines.append(Text(f"Last delivery: {last if now.last_delivery_at else 'none yet'}"))
    if now.problem:
        lines.append(Text(now.problem, style="yellow"))
    return Group(*lines)


def _moment(time: "datetime | None") -> str:
    return time.isoformat(timespec="seconds") if time else "never"
