"""What ports.KeyBook promises."""

from datetime import UTC, datetime, timedelta

import pytest

from personal_context.db.connection import Database
from personal_context.db.key import SqliteKeyBook
from personal_context.domain.models import KeyScopes

NOW = datetime(2026, 11, 21, 7, 8, 41, 320_000, tzinfo=UTC)


@pytest.fixture
async def book(tmp_path):
    async with Database(tmp_path / "context.db") as database:
        yield SqliteKeyBook(database)


async def test_what_was_found_out_last_is_remembered(book):
    assert await book.scopes() is None
    await book.save_scopes(KeyScopes({"documents.info": True, "documents.create": False}, NOW))
    later = KeyScopes({"documents.create": True}, NOW + timedelta(days=1))
    await book.save_scopes(later)
    assert await book.scopes() == later


async def test_nothing_found_out_is_nothing_known(book):
    await book.save_scopes(KeyScopes({"documents.create": True}, NOW))
    await book.save_scopes(KeyScopes({}, NOW))
    assert await book.scopes() is None
