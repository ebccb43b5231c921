"""A wiki, the program and a person's shell as three processes on real sockets."""

import base64
import json
import time
import urllib.parse
import urllib.request

import httpx
import pytest
from processes import Talk, environment, run, served

from personal_context.server.listening import listen
from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY

pytestmark = pytest.mark.timeout(180)

LOGIN = {"HTTP_AUTH_USERNAME": "ann", "HTTP_AUTH_PASSWORD": "secret-of-ann"}
DEADLINE = 40.0


def ask(url, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())


class Wiki:
    """A wiki with one document, changed over its API as Outline's own page does it."""

    def __init__(self, url, sandbox):
        self.url = url
        collection = sandbox.collections.create("Handbook").id
        self.key = sandbox.documents.create("Kettle", "copper", collection_id=collection).id

    def edit(self, text):
        headers = {"Authorization": f"Bearer {DEMO_KEY}", "Content-Type": "application/json"}
        ask(f"{self.url}/api/documents.update", {"id": self.key, "text": text}, **headers)


class Gateway:
    """The program's page and REST as a script sees them."""

    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"

    def until_found(self, word):
        """Search until the word is found; return the seconds it took."""
        login = base64.b64encode(":".join(LOGIN.values()).encode()).decode()
        query = urllib.parse.urlencode({"q": word})
        began = time.monotonic()
        while time.monotonic() - began < DEADLINE:
            found = ask(f"{self.url}/api/search?{query}", Authorization=f"Basic {login}")
            if any(word in result["preview"] for result in found["results"]):
                return time.monotonic() - began
        raise AssertionError(f"{word!r} was never found")


def free_port():
    with listen("127.0.0.1", 0) as listening:
        return listening.getsockname()[1]


def deliveries(transport=None):
    # No connection is kept: they would outlive the loop that they belong to.
    limits = httpx.Limits(max_keepalive_connections=0)
    return httpx.AsyncClient(limits=limits, transport=transport)


def settings(folder, wiki, port, **more):
    return environment(
        folder,
        HTTP_PORT=port,
        OUTLINE_API_BASE=wiki,
        OUTLINE_API_KEY=DEMO_KEY,
        OUTLINE_COLLECTION_ID="Handbook",
        WEBHOOK_URL=f"http://127.0.0.1:{port}",
        **LOGIN,
        **more,
    )


def test_an_edit_is_searchable_in_under_two_seconds(tmp_path):
    sandbox, port = create_sandbox(webhook_client=deliveries()), free_port()
    with served(sandbox) as url:
        wiki, gateway = Wiki(url, sandbox), Gateway(port)
        env = settings(tmp_path, url, port, SYNC_INTERVAL=86_400)
        with Talk("serve", "--transport", "http", "--verbose", env=env) as server:
            server.stderr_until("page http")
            gateway.until_found("copper")
            # The server runs on: it learns of the subscription from the store.
            enabled = run("webhook", "enable", "--json", env=env)
            took = []
            for word in ("quicksilver", "verdigris", "malachite"):
                wiki.edit(f"It is {word}.")
                took.append(gateway.until_found(word))
            status = json.loads(run("webhook", "status", "--json", env=env).stdout)
            disabled = run("webhook", "disable", env=env)
            server.process.terminate()
            told = server.rest_of_stderr()

    assert enabled.returncode == 0, enabled
    assert json.loads(enabled.stdout)["state"] == "on"
    assert min(took) < 2, took
    assert status["last_event"].startswith("documents.")
    assert status["last_delivery_at"]
    assert "Webhook: off" in disabled.stdout
    assert sandbox.webhooks.subscriptions() == []
    assert "Traceback" not in told


def test_with_all_deliveries_lost_polling_finds_it(tmp_path):
    lost = []

    def lose(request):
        lost.append(request)
        raise httpx.ConnectError("lost")

    client = deliveries(httpx.MockTransport(lose))
    sandbox, port = create_sandbox(webhook_client=client), free_port()
    with served(sandbox) as url:
        wiki, gateway = Wiki(url, sandbox), Gateway(port)
        env = settings(tmp_path, url, port, SYNC_INTERVAL=5)
        with Talk("serve", "--transport", "http", env=env) as server:
            server.stderr_until("page http")
            assert run("webhook", "enable", env=env).returncode == 0
            gateway.until_found("copper")
            wiki.edit("It is orpiment.")
            gateway.until_found("orpiment")
            status = json.loads(run("webhook", "status", "--json", env=env).stdout)

    assert lost
    assert status["state"] == "on"
    assert status["last_delivery_at"] is None


def test_who_may_not_subscribe_is_told_what_it_takes(tmp_path):
    sandbox, reader = create_sandbox(), "ol_api_" + "r" * 38
    sandbox.people.add_key(reader, scopes=("read",))
    with served(sandbox) as url:
        env = settings(tmp_path, url, free_port())
        refused = run("webhook", "enable", env={**env, "PERSONAL_CONTEXT_OUTLINE_API_KEY": reader})
        homeless = run("webhook", "enable", env={**env, "PERSONAL_CONTEXT_WEBHOOK_URL": ""})

    assert (refused.returncode, homeless.returncode) == (1, 2)
    assert "admin" in refused.stderr
    assert "PERSONAL_CONTEXT_WEBHOOK_URL" in homeless.stderr
    assert "Traceback" not in refused.stderr + homeless.stderr
