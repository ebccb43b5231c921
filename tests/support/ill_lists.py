"""A wire to a wiki that can't list the documents of some collections, or single rows of them."""

import json

import httpx

LIST = "documents.list"


class IllLists(httpx.AsyncBaseTransport):
    """Answers 500 where a list is ill. Used as `around` of a product.

    Attributes:
        collections: Whose lists fail as a whole.
        rows: Rows of a list, from 0: a page that would show one of them fails.
        listed: The collection whose list that is.
        documents: Single documents that can't be asked for either.
        asked: The collection of each list that was asked for, in order.
    """

    def __init__(self, wire: httpx.AsyncBaseTransport) -> None:
        self._wire = wire
        self.collections: set[str] = set()
        self.rows: set[int] = set()
        self.listed = ""
        self.documents: set[str] = set()
        self.asked: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        endpoint = request.url.path.rpartition("/")[2]
        body = json.loads(request.content or b"{}")
        if endpoint == LIST:
            self.asked.append(body["collectionId"])
        if self._is_ill(endpoint, body):
            error = {"ok": False, "error": "internal_error", "status": 500, "message": "Oh"}
            return httpx.Response(500, json=error)
        return await self._wire.handle_async_request(request)

    def _is_ill(self, endpoint: str, body: dict[str, object]) -> bool:
        if endpoint == LIST:
            first, size = int(str(body["offset"])), int(str(body["limit"]))
            shown = any(first <= row < first + size for row in self.rows)
            return (shown and body["collectionId"] == self.listed) or body[
                "collectionId"
            ] in self.collections
        return endpoint == "documents.info" and body.get("id") in self.documents
