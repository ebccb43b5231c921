"""The settings on the page: what is in force, and what clients are told."""

import pytest
from product import opened_product
from web_client import Seen, app, client

from personal_context.config import Settings, load_settings
from personal_context.runtime.effective import effective_settings
from personal_context.runtime.launching import Launch
from personal_context.web.settings import cards, reach

SECRETS = {
    "outline_api_base": "https://wiki.example.com",
    "outline_api_key": "ol_api_verysecretindeed",
    "outline_collection_id": "Handbook",
    "embedding_api_key": "sk-alsoverysecret",
    "http_auth_username": "joe",
    "http_auth_password": "s3cret-password",
    "webhook_secret": "0123456789abcdef-secret",
}


@pytest.fixture
async def web(tmp_path):
    async with opened_product(tmp_path) as product, client(app(product.runtime)) as web:
        web.product = product
        yield web


async def test_every_setting_is_shown_and_no_secret(web):
    answer = await web.get("/settings")
    seen = Seen(answer.text)

    assert answer.status_code == 200
    for name in Settings.model_fields:
        assert f"PERSONAL_CONTEXT_{name.upper()}" in seen.text
    for secret in web.product.runtime.settings.secrets:
        assert secret not in answer.text
    assert "••••••••" in seen.text
    assert "Handbook" in seen.text


async def test_every_client_has_its_lines(web):
    seen = Seen((await web.get("/settings")).text)

    for told in ("Claude Desktop", "Claude Code", "Cursor", "VS Code", "ChatGPT"):
        assert told in seen.text
    assert '"mcpServers"' in seen.text
    assert '"servers"' in seen.text
    assert "http://localhost:8080/mcp" in seen.text
    assert "http://localhost:8080/openapi.json" in seen.text
    assert (await web.get("/openapi.json")).status_code == 200


def test_secrets_are_told_to_be_there_and_nothing_else():
    told = effective_settings(load_settings(_env_file=None, **SECRETS), environment=())

    found = {one.name.removeprefix("PERSONAL_CONTEXT_").lower(): one for one in told}
    for name, value in SECRETS.items():
        assert found[name].is_set
        assert found[name].secret is name.endswith(("key", "password", "secret"))
        assert (value in repr(found[name])) is not found[name].secret
    assert found["http_port"].value == "8000"
    assert (found["http_port"].origin, found["sync_enabled"].value) == ("default", "true")
    assert not found["embedding_model"].is_set


def test_who_decided_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERSONAL_CONTEXT_HTTP_PORT", "9000")
    (tmp_path / ".env").write_text("PERSONAL_CONTEXT_SYNC_INTERVAL=60\n", "utf-8")

    told = {one.name: one.origin for one in effective_settings(load_settings())}

    assert told["PERSONAL_CONTEXT_HTTP_PORT"] == "environment"
    assert told["PERSONAL_CONTEXT_SYNC_INTERVAL"] == "file"
    assert told["PERSONAL_CONTEXT_HTTP_HOST"] == "default"


def test_what_is_pasted_into_a_shell_is_quoted():
    launch = Launch("/a b/uv", ("run", "$(x)"), {"PERSONAL_CONTEXT_ENV_FILE": "/c d/.env"})

    [command] = [card.command for card in cards(launch) if card.command]

    assert command == (
        "claude mcp add personal-context --env 'PERSONAL_CONTEXT_ENV_FILE=/c d/.env'"
        " -- '/a b/uv' run '$(x)'"
    )


@pytest.mark.parametrize("host", ["$(reboot)", "a b", "", "x/y", "h;reboot"])
def test_what_is_no_host_is_not_repeated(host):
    told = reach(scheme="http", host=host, root="", login=True)

    assert told.mcp == "http://HOST/mcp"
    assert "Authorization: Basic BASE64_OF_USER:PASSWORD" in told.command


def test_a_proxys_path_is_kept():
    told = reach(scheme="https", host="[::1]:8000", root="/context", login=False)

    assert told.mcp == "https://[::1]:8000/context/mcp"
    assert told.page == "/context/api/docs"
