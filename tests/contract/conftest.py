"""Every store and index that the contracts are asked of."""

import pytest
from backends import BACKENDS, Backend
from upstream_wiki import REAL_KEY, REAL_URL, Wiki, made_collection, sandbox_wiki

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


REAL = pytest.param(
    "real", marks=pytest.mark.skipif(not (REAL_URL and REAL_KEY), reason="no server is named")
)


@pytest.fixture(params=["1.9.2", "main", REAL])
async def wiki(request):
    if request.param == "real":
        found = Wiki(REAL_URL, REAL_KEY, None, None, None)
        async with made_collection(found):
            yield found
        return
    async with sandbox_wiki(request.param) as found, made_collection(found):
        yield found


@pytest.fixture(params=["1.9.2", "main"])
async def sandboxed(request):
    async with sandbox_wiki(request.param) as found, made_collection(found):
        yield found
