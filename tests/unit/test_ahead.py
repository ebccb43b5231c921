"""Texts made ready ahead: a few at a time, in order, and each with its own failure."""

import asyncio

import pytest
from upstream_builders import upstream

from personal_context.domain.models import Indexed
from personal_context.sync.ahead import AHEAD, Ahead

DOCUMENTS = [upstream(f"{number:02}", title=f"{number}") for number in range(10)]


async def turns():
    for _ in range(5):
        await asyncio.sleep(0)


class Bench:
    """Prepares a text when it is told to."""

    def __init__(self):
        self.begun = []
        self.given_up = []

    async def __call__(self, title, text):
        self.begun.append(title)
        if title == "2":
            raise ValueError("not this one")
        try:
            await asyncio.sleep(1000 if title == "9" else 0)
        except asyncio.CancelledError:
            self.given_up.append(title)
            raise
        return Indexed(title, (), ())


async def test_only_a_few_are_made_before_their_turn():
    bench = Bench()
    async with Ahead(bench, DOCUMENTS) as ahead:
        await turns()
        assert bench.begun == [str(number) for number in range(AHEAD)]
        await ahead.take(DOCUMENTS[0])
        await turns()
        assert bench.begun == [str(number) for number in range(AHEAD + 1)]


async def test_each_is_given_as_itself_and_fails_for_itself():
    async with Ahead(Bench(), DOCUMENTS[:5]) as ahead:
        for number in (0, 1, 3, 4):
            if number == 3:
                with pytest.raises(ValueError, match="not this one"):
                    await ahead.take(DOCUMENTS[2])
            assert (await ahead.take(DOCUMENTS[number])).readable == str(number)


async def test_what_nobody_asks_for_is_given_up():
    bench = Bench()
    async with Ahead(bench, DOCUMENTS[8:]) as ahead:
        assert (await ahead.take(DOCUMENTS[8])).readable == "8"
        await turns()
    assert bench.given_up == ["9"]


async def test_one_that_failed_unseen_says_nothing():
    async with Ahead(Bench(), DOCUMENTS[2:4]) as ahead:
        await turns()
        assert ahead is not None


async def test_who_stops_waiting_stops_the_work():
    bench = Bench()
    async with Ahead(bench, DOCUMENTS[9:]) as ahead:
        waiting = asyncio.create_task(ahead.take(DOCUMENTS[9]))
        await turns()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert bench.given_up == ["9"]
