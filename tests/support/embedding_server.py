"""An OpenAI-compatible embedding server and an Ollama for tests, mounted over ASGI."""

import asyncio
import base64
import json
from collections.abc import Callable
from typing import Any

import httpx
import numpy as np
from hashing_embedder import HashingEmbedder
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from personal_context.embeddings.client import OpenAIEmbedder

BASE = "http://embeddings.test/v1"
KEY = "sk-test-4f1c9d2e"


class EmbeddingServer:
    """Answers with deterministic vectors, unless it is told to fail.

    Attributes:
        dimension: Length of its vectors, if the request doesn't ask for another.
        failures: Answers or errors that the next requests get instead, in order.
        always: An answer that every request gets instead, while it is set.
        unknown_fields: Fields that it refuses with 400, by name.
        float_lists: It always answers with lists of numbers, whatever was asked for.
        openai: Whether /v1/embeddings exists (an old Ollama has only /api/embed).
        models: What Ollama's /api/tags lists; None for a server that isn't Ollama.
        change: Edits the body of a success before it is sent.
        poison: What a request gets that holds such a word: an answer instead of all vectors, or
            numbers instead of that text's own vector.
        most_texts: It refuses requests with more, as text-embeddings-inference does.
        context: Bytes of a text that the model reads. Longer ones are refused, but Ollama's /v1
            cuts them off and says nothing; None for any length.
        requests: Bodies received, in order.
        headers: Headers received, in order.
        paths: Addresses asked for, in order.
        busiest: Most requests that were in work at once.
        hold: While set, an event that each request waits for.
        batches: Requests with several texts that are still answered; further ones wait. None for
            all. It may be set from another thread.
    """

    def __init__(self, dimension: int = 32) -> None:
        self.dimension = dimension
        self.failures: list[Response | Exception] = []
        self.always: Response | None = None
        self.unknown_fields: set[str] = set()
        self.float_lists = False
        self.openai = True
        self.models: list[str] | None = None
        self.change: Callable[[dict[str, Any]], Any] | None = None
        self.poison: dict[str, Response | list[float]] = {}
        self.most_texts: int | None = None
        self.context: int | None = None
        self.parameters = ""
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.busiest = 0
        self.hold: asyncio.Event | None = None
        self.batches: int | None = None
        self._busy = 0
        self._arrival = asyncio.Condition()

    async def arrived(self, count: int) -> None:
        """Wait until so many requests have come in."""
        async with self._arrival:
            await self._arrival.wait_for(lambda: len(self.requests) >= count)

    @property
    def transport(self) -> httpx.AsyncBaseTransport:
        """Takes the place of the network."""
        return httpx.ASGITransport(self.app)

    @property
    def app(self) -> Starlette:
        """The server, to be mounted or run."""
        routes = [
            Route("/v1/embeddings", self._embeddings, methods=["POST"]),
            Route("/api/embed", self._ollama, methods=["POST"]),
            Route("/api/tags", self._tags),
            Route("/api/show", self._show, methods=["POST"]),
        ]
        return Starlette(routes=routes)

    @property
    def texts(self) -> list[str]:
        """Every text received, in order."""
        return [text for request in self.requests for text in request["input"]]

    def vector(self, text: str, dimension: int | None = None) -> list[float]:
        """The vector of a text, not of unit length: clients must see to that."""
        for word, answer in self.poison.items():
            if word in text and isinstance(answer, list):
                return answer
        vector = HashingEmbedder(dimension or self.dimension).vector(text)
        return [float(number) * 3 for number in vector]

    async def _embeddings(self, request: Request) -> Response:
        body = await self._receive(request)
        if not self.openai:
            return JSONResponse({"error": "not found"}, 404)
        return await self._answer(body, self._openai_body)

    async def _ollama(self, request: Request) -> Response:
        body = await self._receive(request)
        if self.models is None or body["model"] not in self.models:
            error = f'model "{body["model"]}" not found, try pulling it first'
            return JSONResponse({"error": error}, 404)
        return await self._answer(body, self._ollama_body)

    async def _tags(self, request: Request) -> Response:
        self.paths.append(request.url.path)
        await asyncio.sleep(0)  # as on a network, others get their turn
        if self.failures:
            return self._fail()
        if self.models is None:
            return Response("not here", 404)
        return JSONResponse({"models": [{"name": name} for name in self.models]})

    async def _show(self, request: Request) -> Response:
        self.paths.append(request.url.path)
        model = json.loads(await request.body())["model"]
        if self.models is None or model not in self.models:
            return JSONResponse({"error": f"model '{model}' not found"}, 404)
        info = {"general.architecture": "bert", "bert.context_length": self.context or 8192}
        return JSONResponse({"model_info": info, "parameters": self.parameters})

    async def _receive(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(await request.body())
        self.paths.append(request.url.path)
        self.headers.append(dict(request.headers))
        self.requests.append(body)
        async with self._arrival:
            self._arrival.notify_all()
        return body

    async def _answer(
        self, body: dict[str, Any], make: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> Response:
        self._busy += 1
        self.busiest = max(self.busiest, self._busy)
        try:
            # Let the others arrive, so that `busiest` tells the truth.
            for _ in range(5):
                await asyncio.sleep(0)
            if self.hold is not None:
                await self.hold.wait()
            while len(body["input"]) > 1 and self.batches is not None and self.batches <= 0:  # noqa: ASYNC110 - set by a thread
                await asyncio.sleep(0.01)
            if self.batches is not None and len(body["input"]) > 1:
                self.batches -= 1
        finally:
            self._busy -= 1
        if self.failures:
            return self._fail()
        if self.always is not None:
            return self.always
        for field in sorted(self.unknown_fields & set(body)):
            return refusal(400, f"Unknown field: {field}")
        refused = self._refuse(body)
        if refused is not None:
            return refused
        answer = make(body)
        return json_response(self.change(answer) if self.change else answer)

    def _refuse(self, body: dict[str, Any]) -> Response | None:
        texts = body["input"]
        for word, answer in self.poison.items():
            if isinstance(answer, Response) and any(word in text for text in texts):
                return answer
        if self.most_texts is not None and len(texts) > self.most_texts:
            said = f"batch size {len(texts)} > maximum allowed batch size {self.most_texts}"
            return JSONResponse({"error": said, "type": "Validation"}, 422)
        if self.context is not None and max(len(text.encode()) for text in texts) > self.context:
            if body.get("truncate") is False:
                return JSONResponse({"error": "the input length exceeds the context length"}, 400)
            if self.models is None:
                return refusal(400, f"This model's maximum context length is {self.context} tokens")
            body["input"] = [text.encode()[: self.context].decode() for text in texts]
        return None

    def _fail(self) -> Response:
        failure = self.failures.pop(0)
        if isinstance(failure, Exception):
            raise failure
        return failure

    def _openai_body(self, body: dict[str, Any]) -> dict[str, Any]:
        as_text = body.get("encoding_format") == "base64" and not self.float_lists
        data = []
        for index, text in enumerate(body["input"]):
            vector: Any = self.vector(text, body.get("dimensions"))
            if as_text:
                vector = base64.b64encode(np.array(vector, dtype="<f4").tobytes()).decode()
            data.append({"object": "embedding", "index": index, "embedding": vector})
        tokens = sum(len(text.split()) for text in body["input"])
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "data": data, "model": body["model"], "usage": usage}

    def _ollama_body(self, body: dict[str, Any]) -> dict[str, Any]:
        vectors = [self.vector(text) for text in body["input"]]
        return {"model": body["model"], "embeddings": vectors, "prompt_eval_count": 7}


def json_response(body: object) -> Response:
    """JSON as Python writes it, with NaN and Infinity, which broken servers send."""
    return Response(json.dumps(body), media_type="application/json")


def refusal(status: int, message: str, *, code: str = "", **headers: str) -> Response:
    """An error as OpenAI words it; underscores in header names become hyphens."""
    error = {"message": message, "type": "invalid_request_error", "code": code}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return JSONResponse({"error": error}, status, headers=named)


def client(server, model="some-model", dimension=None, **options):
    return OpenAIEmbedder(BASE, KEY, model, dimension, transport=server.transport, **options)


def busy(status=503, **headers):
    return refusal(status, "busy", **headers)
