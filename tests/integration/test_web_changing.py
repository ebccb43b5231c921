"""Changes and the outbox over REST."""

import httpx
import pytest
from product import opened_product
from starlette.applications import Starlette

from personal_context.web.routes import routes


@pytest.fixture
async def door(tmp_path):
    async with opened_product(tmp_path, outline_allow_delete=True) as product:
        page = product.write("Page", "First words.")
        await product.sync()
        app = Starlette(routes=routes(product.runtime))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            yield product, http, page


async def test_a_script_changes_deletes_restores_and_resolves(door):
    product, http, page = door
    read = (await http.get(f"/api/content/{page}")).json()
    body = {"content": "More.", "mode": "append", "expected_hash": read["hash"]}
    assert (await http.patch(f"/api/content/{page}", json=body)).json()["outline"] == "synced"
    stale = await http.patch(f"/api/content/{page}", json=body)
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "content_changed")
    assert (await http.delete(f"/api/content/{page}")).json()["outline"] == "synced"
    back = await http.post(f"/api/content/{page}/restore")
    assert back.json()["outline"] == "synced"
    product.sandbox.documents.edit(page, text="Theirs.")
    await http.patch(f"/api/content/{page}", json={"content": "Ours."})
    [entry] = (await http.get("/api/outbox")).json()["entries"]
    assert (entry["state"], entry["title"]) == ("conflict", "Page")
    assert (await http.post(f"/api/outbox/{page}/resolve")).status_code == 400
    kept = await http.post(f"/api/outbox/{page}/resolve?keep=local")
    assert kept.json() == {"outline": "synced"}
    assert product.sandbox.documents.get(page).text == "Ours."
    assert (await http.post(f"/api/outbox/{page}/discard")).status_code == 400


async def test_a_script_offers_what_is_kept_here_only(door):
    product, http, _ = door
    product.sandbox.faults.status("documents.create", 403, error="authorization_error", times=9)
    added = (await http.post("/api/content", json={"title": "Note", "content": "x"})).json()
    await product.pushed()
    await http.post(f"/api/outbox/{added['id']}/discard")
    product.sandbox.faults.clear()

    offered = await http.post("/api/outbox/offer")
    assert offered.json() == {"offered": [added["id"]]}
    await product.runtime.push_pending()
    assert product.sandbox.documents.get(added["id"]).text == "x"
    assert (await http.post("/api/outbox/offer?collection=nowhere")).status_code == 400
