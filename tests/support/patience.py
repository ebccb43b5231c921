"""Waiting for what happens by itself, without guessing how long it takes."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

DEADLINE = 20.0
"""Seconds; a loaded machine is slow."""


async def until(look: Callable[[], Awaitable[T]]) -> T:
    """Look again and again until something true is seen, and return it."""
    began = time.monotonic()
    while not (seen := await look()):
        assert time.monotonic() - began < DEADLINE, "it never came"
        await asyncio.sleep(0.01)
    return seen
