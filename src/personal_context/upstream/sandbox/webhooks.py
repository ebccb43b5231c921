"""Webhooks as Outline sends them: once, unordered, never again; who fails too often is cut off."""

import asyncio
import hashlib
import hmac
import json
import random
from dataclasses import dataclass
from datetime import timedelta

import httpx

from personal_context.upstream.sandbox.models import (
    Clock,
    Collection,
    Document,
    Json,
    Subscription,
    Version,
    iso,
)
from personal_context.upstream.sandbox.presenters import Presenter, rich_text
from personal_context.upstream.sandbox.state import State
from personal_context.upstream.sandbox.world import new_id

TIMEOUT = 5.0
MAX_SUBSCRIPTIONS = 10
_WATCHED = timedelta(hours=24)
_DEFAULT_COLOR = "#4E5C6E"
_ENOUGH, _FAILING = 10, 0.8


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened."""

    name: str
    kind: str
    model_id: str
    actor: str


class Webhooks:
    """Subscriptions and their deliveries.

    Args:
        state: The wiki's rows.
        clock: Stamps signatures.
        version: Which Outline.
        client: Sends the deliveries; None keeps them until `deliver` is given one.
    """

    def __init__(
        self, state: State, clock: Clock, version: Version, client: httpx.AsyncClient | None
    ) -> None:
        self._state = state
        self._clock = clock
        self._version = version
        self._client = client
        self._pending: list[Event] = []
        self._tasks: set[asyncio.Task[int]] = set()
        # Any order would do; a seed makes a failing test fail again.
        self._chance = random.Random(0)  # noqa: S311 - nothing here is a secret

    def emit(self, name: str, kind: str, model_id: str, actor: str) -> None:
        """Queue an event; with a client and a running loop it is on its way at once."""
        if not self._state.execute("SELECT 1 FROM subscriptions WHERE enabled LIMIT 1"):
            return
        self._pending.append(Event(name, kind, model_id, actor))
        if self._client is None:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        task = loop.create_task(self._send_pending(self._client))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def deliver(self, client: httpx.AsyncClient | None = None) -> int:
        """Send what is queued, wait for what is on its way, and return how many were sent."""
        sender = client or self._client
        sent = await self._send_pending(sender) if sender is not None else 0
        return sent + sum(await asyncio.gather(*self._tasks))

    async def aclose(self) -> None:
        """Stop what is on its way."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- subscriptions

    def subscribe(
        self, name: str, url: str, events: list[str], *, secret: str | None, by: str
    ) -> Subscription:
        """Add a subscription.

        Args:
            name: Shown.
            url: Where to.
            events: Exact names, prefixes as `documents`, or `*`.
            secret: Signs deliveries; None leaves them unsigned.
            by: Acting user.
        """
        now = iso(self._clock())
        row = Subscription(new_id(), name, url, secret, json.dumps(events), 1, by, now, now)
        self._state.insert(row)
        return row

    def subscriptions(self) -> list[Subscription]:
        """Return all, newest first."""
        return self._state.select(Subscription, "ORDER BY created_at DESC, rowid DESC")

    # --- deliveries

    async def _send_pending(self, client: httpx.AsyncClient) -> int:
        events, self._pending = self._pending, []
        jobs = [
            (row, event)
            for event in events
            for row in self.subscriptions()
            if row.enabled and _wants(row.event_list, event.name)
        ]
        self._chance.shuffle(jobs)
        await asyncio.gather(*(self._send(client, row, event) for row, event in jobs))
        return len(jobs)

    async def _send(self, client: httpx.AsyncClient, row: Subscription, event: Event) -> None:
        body = json.dumps(self._payload(row, event), ensure_ascii=False, separators=(",", ":"))
        headers = {"content-type": "application/json", "user-agent": "Outline-"}
        if row.secret:
            stamp = int(self._clock().timestamp() * 1000)
            headers["outline-signature"] = signature(row.secret, stamp, body.encode())
        try:
            answer = await client.post(
                row.url, content=body.encode(), headers=headers, timeout=TIMEOUT
            )
            failed = not answer.is_success
        except httpx.HTTPError:
            failed = True
        self._record(row, failed=failed)

    def _payload(self, row: Subscription, event: Event) -> Json:
        return {
            "id": new_id(),
            "actorId": event.actor,
            "webhookSubscriptionId": row.id,
            "createdAt": iso(self._clock()),
            "event": event.name,
            # The model is as it is now, not as it was when the event happened.
            "payload": {"id": event.model_id, "model": self._model(event)},
        }

    def _model(self, event: Event) -> Json | None:
        presenter = Presenter(self._state, self._version)
        if event.kind == "document":
            document = self._state.get(Document, event.model_id)
            if document is None:
                return None
            shown = presenter.document(document)
            names = ["id", "url", "urlId", "title"]
            head = {name: shown[name] for name in names}
            return head | {"data": rich_text(document.text)} | shown
        collection = self._state.get(Collection, event.model_id)
        if collection is None:
            return None
        model = presenter.collection(collection, archiver=False)
        description = model.pop("description")
        color = collection.color or _DEFAULT_COLOR
        return model | {"data": rich_text(description or ""), "color": color}

    def _record(self, row: Subscription, *, failed: bool) -> None:
        now = self._clock()
        self._state.execute("INSERT INTO deliveries VALUES (?, ?, ?)", (row.id, iso(now), failed))
        total, failures = self._state.execute(
            "SELECT count(*), total(failed) FROM deliveries"
            " WHERE subscription_id = ? AND created_at > ?",
            (row.id, iso(now - _WATCHED)),
        )[0]
        if failed and total >= _ENOUGH and failures / total >= _FAILING:
            self._state.update(Subscription, [row.id], {"enabled": 0})


def _wants(patterns: list[str], name: str) -> bool:
    return any(p in {"*", name} or name.startswith(f"{p}.") for p in patterns)


def signature(secret: str, milliseconds: int, body: bytes) -> str:
    """Return the `outline-signature` header of a delivery.

    Args:
        secret: The subscription's.
        milliseconds: Unix time.
        body: As sent.
    """
    signed = f"{milliseconds}.".encode() + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return f"t={milliseconds},s={digest}"
