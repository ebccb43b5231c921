"""Requests that nobody would write: REST answers all of them as its document says, never 5xx."""

import asyncio
import os
import queue
import threading

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from product import built_product
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from personal_context.server.app import build_app
from personal_context.server.listening import HttpOptions, listen
from personal_context.server.mcp import build_mcp
from personal_context.server.serving import web_server
from personal_context.web.rest.everything import OPERATIONS
from personal_context.web.rest.openapi import openapi

DOCUMENT = openapi(OPERATIONS, version="1")
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
FOUND = [result.ok() for result in SCHEMA.get_all_operations()]
EVERY = {one.definition.raw["operationId"]: one for one in FOUND}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
EXAMPLES = int(os.environ.get("PERSONAL_CONTEXT_TEST_REST_EXAMPLES", "6"))
"""For each operation and mode; with more of them, for a night."""

pytestmark = [
    pytest.mark.timeout(120),
    # It isn't the strategies that draw numbers meanwhile: the server does, in its thread.
    pytest.mark.filterwarnings("ignore:Do not use the .random. module inside strategies"),
]


async def serve(folder, told):
    async with built_product(folder, outline_allow_delete=True) as product:
        ids = [product.write(f"Page {number}", "# One\n\nCopper.") for number in range(5)]
        mcp = build_mcp(product.runtime, opened=lambda runtime: runtime.sync.sync_now())
        app = build_app(mcp, product.runtime, HttpOptions("127.0.0.1", 0, None))
        async with app.router.lifespan_context(app):
            listening = listen("127.0.0.1", 0)
            server = web_server(app)
            told.put((f"http://127.0.0.1:{listening.getsockname()[1]}", ids, server))
            await server.serve(sockets=[listening])


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    told = queue.Queue()
    folder = tmp_path_factory.mktemp("fuzz")
    thread = threading.Thread(target=lambda: asyncio.run(serve(folder, told)))
    thread.start()
    url, ids, server = told.get(timeout=60)
    yield url, ids
    server.should_exit = True
    thread.join(60)


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", EVERY)
def test_whatever_is_asked_is_answered_as_promised(gateway, name, mode):
    url, ids = gateway

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(
        case=EVERY[name].as_strategy(generation_mode=mode),
        known=st.none() | st.sampled_from([*ids, "Handbook"]),
    )
    def ask(case, known):
        if known is not None and "reference" in (case.path_parameters or {}):
            case.path_parameters = {"reference": known}
        if name == "addPage" and "http" in str(case.body):
            return  # it would be fetched
        answer = case.call(base_url=url, timeout=100)
        case.validate_response(answer, checks=CHECKS)

    try:
        ask()
    except Exception as error:
        if "Unsatisfiable" in type(error).__name__:
            pytest.skip("nothing about it can be wrong")
        raise
