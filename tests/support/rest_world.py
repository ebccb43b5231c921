"""A wiki and its gateway as REST sees it, and answers held against what is promised of them."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from jsonschema import Draft202012Validator
from product import Product, opened_product
from web_client import app, client

LONG = "# Start\n\nTurn the key.\n\n## Spare\n\nBehind the barometer. " + "Copper kettle. " * 200


@dataclass
class Promised:
    """What the OpenAPI document says, and which of it was seen."""

    document: dict[str, Any]
    seen: set[tuple[str, str]] = field(default_factory=set)

    def operations(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                yield method.upper(), path, operation

    def keeps(self, method: str, path: str, answer: httpx.Response) -> None:
        """Hold an answer against the document."""
        operation = self.document["paths"][path][method.lower()]
        told = operation["responses"]
        status = str(answer.status_code)
        self.seen.add((operation["operationId"], status))
        assert status in told or answer.is_error, (method, path, status, answer.text)
        content = told.get(status, told["default"])["content"]
        media = answer.headers["content-type"].partition(";")[0]
        assert media in content, (method, path, media)
        if content[media].get("schema", {}).get("$ref"):
            self.fits(answer.json(), content[media]["schema"])

    def fits(self, value: object, schema: dict[str, Any]) -> None:
        """Hold a value against a schema of the document."""
        whole = {**schema, "components": self.document["components"]}
        Draft202012Validator(whole).validate(value)


@dataclass
class Rest:
    """A script that talks to the gateway, and checks each answer."""

    product: Product
    web: httpx.AsyncClient
    promised: Promised
    documents: dict[str, str]

    async def ask(
        self, method: str, path: str, *, reference: str = "", status: int | None = 200, **more: Any
    ) -> Any:
        """Call an operation by its path below the prefix."""
        path = f"/api/v1{path}"
        answer = await self.web.request(method, path.format(reference=reference), **more)
        self.promised.keeps(method, path, answer)
        assert status in (None, answer.status_code), answer.text
        is_json = answer.headers["content-type"].startswith("application/json")
        return answer.json() if is_json else answer.text


@contextlib.asynccontextmanager
async def rest_world(folder: Path) -> AsyncIterator[Rest]:
    """Open a gateway with two collections, a tree, a note with a tag, and a conflict."""
    async with opened_product(folder, outline_allow_delete=True, web_allow_private=True) as product:
        top = product.write("Key", LONG)
        below = product.sandbox.documents.create(
            "Kettle", "Copper.", collection_id=product.handbook, parent_id=top, index=0
        ).id
        torn = product.write("Torn", "First words.")
        await product.sync()
        async with client(app(product.runtime)) as web:
            document = (await web.get("/openapi.json")).json()
            rest = Rest(product, web, Promised(document), {"top": top, "below": below})
            body = {"title": "Tides", "content": "High water at noon.", "tags": ["sea"]}
            rest.documents["note"] = (await rest.ask("POST", "/content", json=body, status=201))[
                "id"
            ]
            await product.pushed()
            product.sandbox.documents.edit(torn, text="Theirs.")
            await web.patch(f"/api/v1/content/{torn}", json={"content": "Ours."})
            rest.documents["torn"] = torn
            yield rest
