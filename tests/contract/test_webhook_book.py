"""What ports.WebhookBook promises."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from personal_context.db.connection import Database
from personal_context.db.webhooks import SqliteWebhookBook
from personal_context.domain.models import WebhookRecord, WebhookState

NOW = datetime(2026, 11, 21, 7, 8, 41, 320_000, tzinfo=UTC)
RECORD = WebhookRecord("a-subscription", "https://x.test/webhooks/outline", "s3cr3t", NOW)


@pytest.fixture
async def book(tmp_path):
    async with Database(tmp_path / "context.db") as database:
        yield SqliteWebhookBook(database)


async def test_one_subscription_is_remembered(book):
    assert await book.webhook() is None
    await book.save_webhook(RECORD)
    assert await book.webhook() == RECORD
    other = replace(RECORD, id="another", last_delivery_at=NOW, last_event="documents.update")
    await book.save_webhook(other)
    assert await book.webhook() == other
    await book.forget_webhook()
    await book.forget_webhook()
    assert await book.webhook() is None


async def test_the_newest_delivery_is_noted(book):
    await book.save_webhook(RECORD)
    later = NOW + timedelta(seconds=5)
    await book.note_delivery(NOW, "documents.create")
    await book.note_delivery(later, "documents.update")

    assert await book.webhook() == replace(
        RECORD, last_delivery_at=later, last_event="documents.update"
    )


async def test_what_outline_says_of_it_is_noted(book):
    await book.note_state(WebhookState.ON, None, NOW)
    assert await book.webhook() is None
    await book.save_webhook(RECORD)
    await book.note_state(WebhookState.SWITCHED_OFF, "Most \ud800 failed.", NOW)
    seen = replace(
        RECORD, state=WebhookState.SWITCHED_OFF, problem="Most \ufffd failed.", checked_at=NOW
    )
    assert await book.webhook() == seen
    await book.save_webhook(seen)
    assert await book.webhook() == seen
    await book.note_state(WebhookState.ON, None, NOW)
    assert (await book.webhook()).problem is None


async def test_a_delivery_without_a_subscription_leaves_no_trace(book):
    await book.note_delivery(NOW, "documents.create")
    assert await book.webhook() is None


def test_the_secret_stays_out_of_the_repr():
    assert RECORD.secret not in repr(RECORD)
