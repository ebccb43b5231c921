"""Secrets are found, told without being repeated, and masked; what only looks like one is left.

The tokens are made up: they have the right shape and open nothing. They are put together here, so
that no scanner of repositories takes this file for a leak.
"""

import json

import pytest
from hypothesis import given, strategies as st

from personal_context.content.secrets import (
    find_in_metadata,
    find_secrets,
    masked,
    masked_metadata,
)

A = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6"
HEX = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"


def cut(length):
    return (A * 5)[:length]


KEY = f"{'-' * 5}BEGIN RSA PRIVATE KEY-----\n{cut(64)}\n{cut(22)}==\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    ("AWS access key", "AKIA" + "IOSFODNN7ABCDEFG"),
    ("GitHub token", "ghp_" + cut(36)),
    ("GitHub token", "ghs_" + cut(36)),
    ("GitHub token", "github_pat_" + cut(22) + "_" + cut(40)),
    ("GitLab token", "glpat-" + cut(20)),
    ("Slack token", "xoxb-" + "123456789012-1234567890123-" + cut(24)),
    ("Slack token", "xapp-" + "1-A0123-4567-" + cut(24)),
    ("Slack webhook", "hooks.slack.com/" + "services/T00000000/B00000000/" + cut(24)),
    ("Stripe key", "sk_live_" + cut(24)),
    ("Stripe key", "whsec_" + cut(32)),
    ("OpenAI key", "sk-" + cut(48)),
    ("OpenAI key", "sk-proj-" + cut(60)),
    ("Anthropic key", "sk-ant-" + "api03-" + cut(50)),
    ("Google API key", "AIza" + "Sy" + cut(33)),
    ("Google OAuth secret", "GOCSPX-" + cut(28)),
    ("Google OAuth token", "ya29." + cut(40)),
    ("JSON web token", "eyJ" + cut(20) + ".eyJ" + cut(30) + "." + cut(43)),
    ("npm token", "npm_" + cut(36)),
    ("PyPI token", "pypi-AgE" + "IcHlwaS5vcmc" + cut(60)),
    ("Outline API key", "ol_api_" + cut(38)),
    ("Hugging Face token", "hf_" + cut(34)),
    ("SendGrid key", "SG." + cut(22) + "." + cut(43)),
    ("DigitalOcean token", "dop_v1_" + HEX * 2),
    ("private key", KEY),
    ("private key", KEY.replace("\n", "\\n")),
    ("private key", KEY.replace("\n", "\n    ")),
    ("private key", KEY.replace("RSA ", "OPENSSH ")),
    ("private key", KEY.replace("RSA ", "")),
    ("private key", KEY[: KEY.index("-----END")].rstrip()[:120]),
]

ASSIGNED = [
    "password=>hunter2<",
    "password=>swordfish<",
    "PASSWORD=>s3cr3t!<",
    "DB_PASSWORD=>correct-horse-9<",
    "DB_PASSWORD_PROD='>Tr0ub4dor&3<'",
    "export PGPASSWORD=>hunter22<",
    'password = ">swordfish<"',
    'password: str = ">hunter22<"',
    "Password: >hunter2<",
    "- **Password:** `>hunter2!<`",
    "**Password**: >Wint3r2026<",
    "passwd: >4711abc<",
    "pwd=>geheim42<;server=db",
    "https://example.net/login?user=ada&password=>hunter2<&x=1",
    "api_key=>9f8e7d6c5b4a39281706<",
    'API_KEY: ">9f8e7d6c5b4a39281706f5e4<"',
    f"client_secret = '>{cut(32)}<'",
    f"aws_secret_access_key = >{cut(20)}/{cut(19)}<",
    f"auth_token: >{HEX}<",
    f"SECRET_KEY_BASE=>{HEX}<",
    f"AccountKey=>{cut(86)}==<",
    f"Authorization: Bearer >{cut(40)}<",
    f'-H "Authorization: Basic >{cut(24)}=<"',
    "postgres://ada:>hunter2<@db.internal:5432/app",
    "postgresql+asyncpg://ada:>p@ss!word1<@db/app",
    "redis://:>hunter2<@cache",
    "mongodb+srv://app:>Xk29fjw0<@cluster0.mongodb.net",
    "amqp://guest2:>swordfish<@[::1]:5672",
    "https://ada:>hunter2<@wiki.internal/x",
]

HARMLESS = [
    "password=<your password>",
    "password=<password>",
    "password=your_password",
    "password=YOUR-PASSWORD-HERE",
    "password=xxxxxxxx",
    "password=XXXX-XXXX",
    "password=********",
    "password=••••••••",
    "password=…",
    "password=...",
    "password=${DB_PASSWORD}",
    "password=$DB_PASSWORD",
    "password=$(pass show db)",
    "password=%DB_PASSWORD%",
    "password={{ db_password }}",
    "password={password}",
    "password: ${{ secrets.DB_PASSWORD }}",
    "password = os.environ['DB_PASSWORD']",
    'password = os.environ["DB_PASSWORD_2"]',
    "password = getpass.getpass()",
    "password = get_password(user)",
    "password = request.password",
    "connect(user=user, password=password)",
    "connect(password=db_password)",
    "login(password=swordfish)",
    "if password == 'swordfish1':",
    "password: string",
    "password: required",
    "password=required",
    "password: Optional[str] = None",
    "password = None",
    "password=changeme",
    "password=change-me",
    "password=example123",
    '"password": "Passwort"',
    '"password": "Mot de passe"',
    '"password": "Enter your password again"',
    'label = "Password: at least 12 characters"',
    "The password must be changed: it was shared.",
    "Password: see 1Password",
    "password: 1Password",
    "password hashing: argon2id",
    "password: argon2id",
    "passwords: bcrypt-hashed",
    "The secret: start early and write down what you decide.",
    "secret: my-service-account",
    "secret=my-app-secret",
    "token: next-session-token",
    "token = next_token()",
    "token=access_token",
    "the tokens: 4096",
    "max_tokens=1024000000",
    "token: a unit of text that a model reads",
    "api_key=YOUR_API_KEY",
    "api_key: <key>",
    'api_key = os.getenv("API_KEY_2026_PROD_1")',
    "OPENAI_API_KEY=sk-...",
    "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN_2026_PROD",
    "Authorization: Bearer YOUR_ACCESS_TOKEN",
    "postgres://user:password@localhost/db",
    "postgres://user:pass@host/db",
    "postgres://user:<password>@host/db",
    "postgres://user:${PASSWORD}@host/db",
    "https://wiki.example.com:8443/a@b",
    "mailto:ada@example.com",
    "http://localhost:3000/@ada",
    "ssh://git@github.com/x/y",
    "`-----BEGIN PRIVATE KEY-----` is the first line of such a file.",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    f"-----BEGIN PUBLIC KEY-----\n{cut(64)}\n-----END PUBLIC KEY-----",
    f"-----BEGIN CERTIFICATE-----\n{cut(64)}\n-----END CERTIFICATE-----",
    "commit 0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
    "sha256:" + HEX * 2,
    "id 3f2a8f0c-7d57-4a0c-9f0e-1c5a4a1d2f10",
    "key: value-of-the-thing-2026-03-01",
    "primary key: customer_id_2026_archive",
    "eyJ is how a token begins",
    "sk-learn, sk-proj- and ghp_ are prefixes",
    "npm_config_registry=https://registry.example",
    "task-ant-hill-and-other-words-that-go-on-and-on",
    "token_count=123456789012345678",
    "password_file=/run/secrets/db_2026",
    "secretName: db-credentials-2026",
]


@pytest.mark.parametrize(("kind", "token"), SECRETS, ids=lambda value: value[:18])
def test_a_token_of_a_known_shape_is_found_with_its_line_and_masked(kind, token):
    text = f"# Notes\n\nUse `{token}` for it,\nand rotate it.\n"

    [secret] = find_secrets(text)

    assert (secret.kind, secret.where, secret.line) == (kind, "content", 3)
    hidden = masked(text)
    assert hidden.startswith(f"# Notes\n\nUse `(redacted {kind})")
    assert hidden.endswith("` for it,\nand rotate it.\n")
    assert token[12:] not in hidden
    assert masked(hidden) == hidden
    assert not find_secrets(hidden)


@pytest.mark.parametrize("marked", ASSIGNED)
def test_an_assigned_secret_is_found_and_nothing_else_is_masked(marked):
    before, value, after = marked.partition(">")[0], *marked.partition(">")[2].rpartition("<")[::2]
    text = f"Before.\n{before}{value}{after}\nAfter."

    [secret] = find_secrets(text)

    assert secret.line == 2
    assert masked(text) == f"Before.\n{before}(redacted {secret.kind}){after}\nAfter."


@pytest.mark.parametrize("text", HARMLESS)
def test_what_stands_for_a_secret_or_tells_about_one_is_left(text):
    assert list(find_secrets(f"Text\n{text}\nText")) == []
    assert masked(text) == text


def test_nothing_that_is_told_holds_the_secret():
    for _, token in SECRETS:
        assert token[14:30] not in repr(find_secrets(token))


def test_many_are_told_once_for_each_kind_and_line():
    line = " ".join(token for _, token in SECRETS if "\n" not in token)
    found = find_secrets(f"{line}\n" * 20)

    assert len(found) == 50
    assert [secret.line for secret in found] == sorted(secret.line for secret in found)
    assert len(set(found)) == 50


def test_metadata_is_judged_by_key_and_value_and_masked_in_place():
    metadata = {
        "source": "chat",
        "password": "hunter2",
        "nested": {"api_key": HEX, "list": [1, None, {"note": f"use {'ghp_' + cut(36)} now"}]},
        "tokens": 4096,
        "token": "see vault",
    }

    found = find_in_metadata(metadata)

    assert [(secret.kind, secret.where) for secret in found] == [
        ("password", "metadata 'password'"),
        ("secret", "metadata 'nested'"),
        ("GitHub token", "metadata 'nested'"),
    ]
    assert masked_metadata(metadata) == {
        "source": "chat",
        "password": "(redacted password)",
        "nested": {
            "api_key": "(redacted secret)",
            "list": [1, None, {"note": "use (redacted GitHub token) now"}],
        },
        "tokens": 4096,
        "token": "see vault",
    }
    assert not find_in_metadata(masked_metadata(metadata))


def test_an_address_stays_one():
    address = "https://ada:hunter2@wiki.internal/x"

    assert masked(address, lambda _: "REDACTED") == "https://ada:REDACTED@wiki.internal/x"


@given(
    st.lists(
        st.sampled_from([*(token for _, token in SECRETS), *HARMLESS, "password=", ": ", "'", "\n"])
        | st.text(max_size=10),
        max_size=8,
    ).map("".join)
)
def test_any_text_is_masked_for_good(text):
    hidden = masked(text)

    assert masked(hidden) == hidden
    assert bool(find_secrets(text)) == (hidden != text)
    assert json.dumps(masked_metadata({"k": text}))


@pytest.mark.parametrize(
    "unit", ["password=", "a", "-----BEGIN PRIVATE KEY-----\n", "eyJa", "http://", "token: ", "sk-"]
)
def test_no_text_takes_more_than_linear_time(unit):
    assert find_secrets(unit * (200_000 // len(unit))) is not None
