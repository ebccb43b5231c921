"""Every store and index that the contracts are asked of."""

import pytest
from backends import BACKENDS, Backend

from personal_context.ports import Store, VectorIndex


@pytest.fixture(params=BACKENDS)
async def backend(request, tmp_path):
    async with BACKENDS[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture
def store(backend: Backend) -> Store:
    return backend.store


@pytest.fixture
def index(backend: Backend) -> VectorIndex:
    return backend.index
