"""Tokens and cost of embedding: counted over processes and restarts, told in the status."""

from dataclasses import replace

import pytest
from backends import sqlite
from builders import NOW, mirror_pieces
from embedding_server import BASE, KEY, EmbeddingServer

from personal_context.config import load_settings
from personal_context.domain.errors import StoreError
from personal_context.domain.models import EmbeddingUsage
from personal_context.embeddings.auto import AutoEmbedder
from personal_context.embeddings.prices import known_price
from personal_context.embeddings.select import Wanted
from personal_context.indexing.indexer import Indexer
from personal_context.indexing.meter import Meter
from personal_context.runtime import build_runtime
from personal_context.runtime.adapters import price_of
from personal_context.web.costs import usage_lines


def server_embedder(server):
    wanted = Wanted("openai", api_base=BASE, api_key=KEY, model="m", transport=server.transport)
    return AutoEmbedder(wanted)


def no_price(provider, model):
    return None


async def test_it_is_counted_over_restarts(tmp_path):
    server = EmbeddingServer()
    for number in (1, 2):
        async with sqlite(tmp_path) as backend, server_embedder(server) as embedder:
            await mirror_pieces(backend.store, number, f"three words {number}")
            await Indexer(backend.index, embedder).run_backlog()
            meter = Meter(backend.index, embedder, no_price, lambda: NOW)
            await meter.note()
            await meter.note()
    async with sqlite(tmp_path) as backend, server_embedder(server) as embedder:
        [usage] = await Meter(backend.index, embedder, no_price, lambda: NOW).read()

    sent = sum(len(text.split()) for text in server.texts)
    assert usage == EmbeddingUsage("openai", "m", len(server.requests), sent, NOW)
    assert sent >= 8


async def test_what_cannot_be_written_is_written_later(tmp_path):
    class Full:
        def __init__(self, index):
            self._index = index
            self.full = True

        def __getattr__(self, name):
            return getattr(self._index, name)

        async def add_usage(self, usages, *, now):
            if self.full:
                raise StoreError("The disk is full.")
            await self._index.add_usage(usages, now=now)

    async with sqlite(tmp_path) as backend, server_embedder(EmbeddingServer()) as embedder:
        index = Full(backend.index)
        meter = Meter(index, embedder, no_price, lambda: NOW)
        await embedder.embed_query("one two")
        await meter.note()
        await embedder.embed_query("three")
        index.full = False
        [usage] = await meter.read()

    assert (usage.requests, usage.tokens) == (2, 3)


async def test_the_model_on_board_costs_nothing_and_says_nothing(tmp_path):
    settings = load_settings(db_path=tmp_path / "context.db", embedding_provider="local")
    async with build_runtime(settings) as runtime:
        await runtime.embedder.embed_query("x")
        status = await runtime.status()

    assert status.usage == []


async def test_a_process_writes_down_its_queries_when_it_ends(tmp_path):
    settings = load_settings(
        db_path=tmp_path / "context.db", embedding_api_key=KEY, embedding_price=1_000_000
    )
    server = EmbeddingServer()
    for _ in range(2):
        async with build_runtime(settings, embedder=server_embedder(server)) as runtime:
            await runtime.embedder.embed_query("one two")
    async with build_runtime(settings) as runtime:
        [usage] = (await runtime.status()).usage

    assert (usage.requests, usage.tokens, usage.cost) == (2, 4, 4)


@pytest.mark.parametrize(
    ("settings", "asked", "price"),
    [
        ({"embedding_api_key": KEY}, ("openai", "text-embedding-3-small"), 0.02),
        ({"embedding_api_key": KEY}, ("openai", "text-embedding-9"), None),
        ({"embedding_api_key": KEY}, ("ollama", "text-embedding-3-small"), None),
        (
            {"embedding_api_base": "http://127.0.0.1:1/v1"},
            ("openai", "text-embedding-3-small"),
            None,
        ),
        ({"embedding_api_key": KEY, "embedding_price": 3}, ("openai", "anything"), 3),
        (
            {"embedding_api_key": KEY, "embedding_model": "mine", "embedding_price": 3},
            ("openai", "mine"),
            3,
        ),
        (
            {"embedding_api_key": KEY, "embedding_model": "mine", "embedding_price": 3},
            ("openai", "text-embedding-3-large"),
            0.13,
        ),
        ({"embedding_api_key": KEY, "embedding_price": 0}, ("openai", "anything"), 0),
    ],
)
def test_prices_are_those_that_are_set_else_the_published_ones(settings, asked, price):
    assert price_of(load_settings(**settings))(*asked) == price


def test_openais_address_written_out_is_openais():
    assert known_price("openai", "text-embedding-3-small", host="api.openai.com") == 0.02


def test_a_line_for_each_model_that_counts():
    usage = EmbeddingUsage("openai", "m", 1200, 2_500_000, NOW, cost=0.05)

    assert usage_lines([usage, replace(usage, tokens=0)]) == [
        "2,500,000 tokens in 1,200 requests to openai m since 2026-03-01, about $0.05"
    ]
    assert usage_lines([replace(usage, cost=0.001)])[0].endswith(", less than a cent")
    assert usage_lines([replace(usage, cost=None)])[0].endswith("since 2026-03-01")
