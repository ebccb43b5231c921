"""Start the program as its users do, and a wiki on a real socket beside it."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import uvicorn

from personal_context.server.listening import listen
from personal_context.upstream.sandbox.app import Sandbox

MAIN = Path(__file__).parents[2] / "main.py"
PATIENCE = 40.0
"""Seconds; a loaded machine starts Python slowly."""

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def environment(folder: Path, **settings: object) -> dict[str, str]:
    """Return an environment with the settings, a store in the folder, and a free port."""
    values = {"DB_PATH": folder / "store" / "context.db", "HTTP_PORT": 0} | settings
    named = {f"PERSONAL_CONTEXT_{name}": str(value) for name, value in values.items()}
    return {**os.environ, "NO_COLOR": "1", "EMBEDDING_PROVIDER": "local", **named}


def run(
    *arguments: str, env: Mapping[str, str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [sys.executable, str(MAIN), *arguments],
        env=dict(env),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


class Talk:
    """A process that speaks MCP on its standard streams."""

    def __init__(self, *arguments: str, env: Mapping[str, str], program: Path = MAIN) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(program), *arguments],
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._out = _lines(self.process.stdout)
        self._err = _lines(self.process.stderr)
        self.stderr: list[str] = []

    def send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        line = self._out.get(timeout=PATIENCE)
        assert line is not None, self.rest_of_stderr()
        return json.loads(line)

    def initialize(self) -> Any:
        self.send(INITIALIZE)
        answer = self.receive()
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def call(self, tool: str, **arguments: object) -> Any:
        params = {"name": tool, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
        while (answer := self.receive()).get("id") != 2:
            pass
        return answer["result"]

    def stderr_until(self, part: str) -> str:
        """Read stderr up to the line that holds the part, and return that line."""
        while (line := self._err.get(timeout=PATIENCE)) is not None:
            self.stderr.append(line)
            if part in line:
                return line
        raise AssertionError(f"{part!r} never came: {self.stderr}")

    def rest_of_stderr(self) -> str:
        while (line := self._err.get(timeout=PATIENCE)) is not None:
            self.stderr.append(line)
        return "".join(self.stderr)

    def rest_of_stdout(self) -> str:
        rest = []
        while (line := self._out.get(timeout=PATIENCE)) is not None:
            rest.append(line)
        return "".join(rest)

    def end(self) -> int:
        """Close stdin, as a client does that goes away; return the exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                stream.close()


def _lines(stream: Any) -> "queue.Queue[str | None]":
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        with contextlib.suppress(ValueError):
            for line in stream:
                lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines


@contextlib.contextmanager
def served(sandbox: Sandbox) -> Iterator[str]:
    """Serve a sandbox on a real socket; yield its address."""
    with served_app(sandbox.app) as url:
        yield url


@contextlib.contextmanager
def served_app(app: Any) -> Iterator[str]:
    """Serve an ASGI application on a real socket; yield its address."""
    listening = listen("127.0.0.1", 0)
    config = uvicorn.Config(app, lifespan="off", log_config=None, ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
