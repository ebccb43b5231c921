"""What one embedding server understands; each refusal leads to a simpler request."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from personal_context.embeddings.answers import Answer, read_ollama, read_openai
from personal_context.embeddings.failures import Refused
from personal_context.embeddings.ollama import root_of

_BAD_REQUEST = {400, 422}
_NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to ask a server for vectors, and how to read what it answers.

    Attributes:
        base: Address of the server, e.g. `https://api.openai.com/v1`.
        model: Name of the model there.
        dimensions: Asked for in the request, or None to leave it out.
        base64: Whether vectors are asked for as base64, a quarter of the size of digits.
        has_native: The server is Ollama, which has an older address of its own.
        native: That address is used.
    """

    base: str
    model: str
    dimensions: int | None = None
    base64: bool = True
    has_native: bool = False
    native: bool = False

    @property
    def url(self) -> str:
        """Where to post."""
        base = self.base.rstrip("/")
        if self.native:
            return f"{root_of(base)}/api/embed"
        return f"{base.removesuffix('/embeddings')}/embeddings"

    def payload(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return the JSON to post."""
        if self.native:
            return {"model": self.model, "input": list(texts), "truncate": False}
        payload: dict[str, Any] = {"model": self.model, "input": list(texts)}
        if self.base64:
            payload["encoding_format"] = "base64"
        if self.dimensions is not None:
            payload["dimensions"] = self.dimensions
        return payload

    def whole(self) -> "Dialect":
        """Return the dialect in which a text that is too long is refused, not cut off.

        Only Ollama's /v1 cuts off without a word; its own address can be told not to.
        """
        return replace(self, native=True) if self.has_native else self

    def read(self, body: object, count: int) -> Answer:
        """Read the answer to `count` texts; raises EmbeddingRejected if it is of no use."""
        return read_ollama(body, count) if self.native else read_openai(body, count)

    def simpler(self, refused: Refused) -> "Dialect | None":
        """Return what to try after a refusal, or None if it isn't about how we ask.

        A refusal that names a field takes this field away. One that names none may still be about
        `encoding_format`, the field that the fewest servers know.
        """
        if refused.status == _NOT_FOUND and self.has_native and not self.native:
            return replace(self, native=True)
        if refused.status not in _BAD_REQUEST or self.native:
            return None
        if self.dimensions is not None and "dimension" in refused.said.lower():
            return replace(self, dimensions=None)
        return replace(self, base64=False) if self.base64 else None
