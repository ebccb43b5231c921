"""What a wiki answered during a pass, to hold the removals of that pass against it."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

Removal = tuple[str, str, str]
"""Word of the log, collection and document of a removal."""

READABLE = {"id", "title", "updatedAt"}
"""An answer that lacks one of these tells nothing of its document."""


@dataclass
class Witness:
    """Listens on the network, below the code that draws its conclusions from the answers.

    Attributes:
        documents: Answers to documents.info by document, each a status and `data`.
        collections: The same for collections.info.
    """

    documents: dict[str, list[tuple[int, Any]]] = field(default_factory=lambda: defaultdict(list))
    collections: dict[str, list[tuple[int, Any]]] = field(default_factory=lambda: defaultdict(list))

    def forget(self) -> None:
        """Begin anew."""
        self.documents.clear()
        self.collections.clear()

    async def hear(self, request: httpx.Request, response: httpx.Response) -> None:
        """Remember an answer that came whole."""
        answers = {"documents.info": self.documents, "collections.info": self.collections}
        heard = answers.get(request.url.path.rsplit("/", 1)[-1])
        if heard is None:
            return
        try:
            body = json.loads(await response.aread())
        except ValueError:
            return
        told = body.get("data") if isinstance(body, dict) else None
        heard[json.loads(request.content)["id"]].append((response.status_code, told))

    def justifies(self, removal: Removal, mirrored: Collection[str]) -> bool:
        """Tell whether the wiki said of this document what it was removed for.

        Args:
            removal: As the log has it.
            mirrored: Collections whose documents belong into the mirror.
        """
        word, home, key = removal
        answers = self.documents[key]
        rows = [told for status, told in answers if status == 200 and _readable(told, key)]
        if word == "trash":
            return any(row.get("deletedAt") for row in rows)
        if word == "archive":
            return any(row.get("archivedAt") for row in rows)
        if word == "unpublish":
            return any(not row.get("publishedAt") for row in rows)
        if any(row.get("collectionId") not in {home, *mirrored} for row in rows):
            return True
        statuses = {status for status, _ in answers}
        # A 403 tells something only while the collection answers, if only that it is gone.
        answered = {status for status, _ in self.collections[home]} & {200, 404}
        return 404 in statuses or (403 in statuses and bool(answered))


def _readable(told: object, key: str) -> bool:
    return isinstance(told, Mapping) and told.keys() >= READABLE and told["id"] == key
