"""Trouble ordered over HTTP, from a sandbox that may be a process of its own."""

import httpx
import pytest
from sandbox_world import Wiki

from personal_context.upstream.sandbox.auth import DEMO_KEY

FAULTS = "/sandbox/faults"


@pytest.fixture
def wiki():
    return Wiki()


@pytest.fixture
async def switches(wiki):
    transport = httpx.ASGITransport(wiki.sandbox.app)
    async with httpx.AsyncClient(
        transport=transport,
        base_url="http://wiki",
        headers={"Authorization": f"Bearer {DEMO_KEY}"},
    ) as client:
        yield client


async def test_a_fault_hits_its_endpoint_as_often_as_ordered_and_is_counted(wiki, switches):
    ordered = await switches.post(
        FAULTS, json={"kind": "500", "endpoint": "documents.list", "times": 2}
    )
    statuses = [
        (await wiki.send(endpoint)).status_code
        for endpoint in ("collections.list", *["documents.list"] * 3)
    ]

    assert ordered.json() == {"requests": 0, "hit": 0, "waiting": 2}
    assert statuses == [200, 500, 500, 200]
    assert (await switches.get(FAULTS)).json() == {"requests": 4, "hit": 2, "waiting": 0}


async def test_the_work_is_done_and_the_answer_lost(wiki, switches):
    await switches.post(
        FAULTS, json={"kind": "html", "endpoint": "documents.create", "after": True}
    )
    made = {"title": "Made", "collectionId": wiki.eng, "publish": True}

    lost = await wiki.send("documents.create", **made)

    assert lost.status_code == 502
    assert await wiki.titles() == ["Made"]


async def test_what_waits_can_be_forgotten(wiki, switches):
    for kind in ("429", "403", "timeout", "refuse", "garbage", "cut", "slow"):
        assert (await switches.post(FAULTS, json={"kind": kind})).status_code == 200

    assert (await switches.delete(FAULTS)).json()["waiting"] == 0
    assert await wiki.titles() == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kind": "flood"},
        {"kind": "500", "times": 0},
        {"kind": "500", "times": True},
        {"kind": "500", "endpoint": 7},
        {"kind": "500", "time": 2},
    ],
)
async def test_an_order_that_means_nothing_is_refused(switches, body):
    assert (await switches.post(FAULTS, json=body)).status_code == 400
    assert (await switches.get(FAULTS)).json()["waiting"] == 0


async def test_nobody_without_a_key_orders_anything(wiki, switches):
    refused = await switches.post(
        FAULTS, json={"kind": "500"}, headers={"Authorization": "Bearer ol_api_" + "x" * 38}
    )

    assert refused.status_code == 401
    assert wiki.sandbox.faults.waiting == 0
