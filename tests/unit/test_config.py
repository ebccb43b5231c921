import pytest

from personal_context.config import doubtful_settings, load_settings, unknown_variables
from personal_context.domain.errors import ConfigError

OUTLINE = {
    "PERSONAL_CONTEXT_OUTLINE_API_BASE": "https://wiki.example.com/",
    "PERSONAL_CONTEXT_OUTLINE_API_KEY": "ol_api_secret",
    "PERSONAL_CONTEXT_OUTLINE_COLLECTION_ID": "Handbook",
}


@pytest.fixture
def environment(monkeypatch):
    def set_all(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return set_all


def test_nothing_set_means_local_mode(tmp_path):
    settings = load_settings()

    assert settings.local_mode
    assert settings.wanted_collections == ()
    assert settings.db_path == tmp_path / "home" / ".personal-context" / "context.db"
    assert (settings.http_host, settings.http_port, settings.sync_interval) == (
        "127.0.0.1",
        8000,
        300,
    )


def test_an_env_file_is_read_and_empty_lines_in_it_mean_unset(tmp_path):
    (tmp_path / ".env").write_text(
        "PERSONAL_CONTEXT_HTTP_PORT=9000\nPERSONAL_CONTEXT_OUTLINE_API_BASE=\n", "utf-8"
    )

    settings = load_settings()

    assert settings.http_port == 9000
    assert settings.local_mode


def test_prompts_are_mirrored_beside_the_chosen_collections(environment):
    environment(
        **OUTLINE,
        PERSONAL_CONTEXT_SYNC_COLLECTIONS=" Runbooks, Handbook ,,Runbooks",
        PERSONAL_CONTEXT_PROMPTS_COLLECTION_ID="Prompts",
    )

    settings = load_settings()

    assert settings.sync_collections == ("Runbooks", "Handbook")
    assert settings.wanted_collections == ("Runbooks", "Handbook", "Prompts")
    assert settings.outline_api_base == "https://wiki.example.com"


def test_without_sync_collections_the_default_collection_is_mirrored(environment):
    environment(**OUTLINE)

    assert load_settings().wanted_collections == ("Handbook",)


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"HTTP_PORT": "http"}, ["HTTP_PORT", "valid integer"]),
        ({"HTTP_PORT": "70000"}, ["HTTP_PORT", "65535"]),
        ({"SYNC_INTERVAL": "1"}, ["SYNC_INTERVAL", "5"]),
        ({"SYNC_ENABLED": "perhaps"}, ["SYNC_ENABLED"]),
        ({"EMBEDDING_PROVIDER": "magic"}, ["EMBEDDING_PROVIDER", "'local'"]),
        ({"EMBEDDING_PROVIDER": "openai"}, ["EMBEDDING_API_KEY", "EMBEDDING_API_BASE"]),
        ({"EMBEDDING_PROVIDER": "local", "EMBEDDING_DIMENSION": "768"}, ["EMBEDDING_DIMENSION"]),
        ({"EMBEDDING_PROVIDER": "local", "EMBEDDING_MODEL": "x"}, ["EMBEDDING_MODEL"]),
        (
            {
                "EMBEDDING_PROVIDER": "local",
                "EMBEDDING_API_BASE": "http://localhost:1",
                "EMBEDDING_API_KEY": "k",
            },
            ["EMBEDDING_API_BASE", "EMBEDDING_API_KEY"],
        ),
        ({"EMBEDDING_PROVIDER": "fastembed", "EMBEDDING_API_KEY": "k"}, ["EMBEDDING_API_KEY"]),
        ({"DB_PATH": "~nosuchuser/x.db"}, ["DB_PATH", "~nosuchuser"]),
        ({"EMBEDDING_API_BASE": "localhost:1234"}, ["EMBEDDING_API_BASE", "https://"]),
        ({"EMBEDDING_DIMENSION": "0"}, ["EMBEDDING_DIMENSION"]),
        ({"HTTP_AUTH_USERNAME": "ann"}, ["HTTP_AUTH_USERNAME", "HTTP_AUTH_PASSWORD"]),
        ({"HTTP_AUTH_PASSWORD": "x"}, ["HTTP_AUTH_USERNAME", "HTTP_AUTH_PASSWORD"]),
        (
            {"HTTP_AUTH_USERNAME": "a:b", "HTTP_AUTH_PASSWORD": "x"},
            ["HTTP_AUTH_USERNAME", "colon"],
        ),
        ({"OUTLINE_API_BASE": "https://wiki.example.com"}, ["OUTLINE_API_KEY"]),
        ({"OUTLINE_API_KEY": "k"}, ["OUTLINE_API_BASE"]),
        ({"OUTLINE_COLLECTION_ID": "Handbook"}, ["OUTLINE_API_BASE", "OUTLINE_API_KEY"]),
        (
            {"OUTLINE_API_BASE": "https://wiki.example.com", "OUTLINE_API_KEY": "k"},
            ["OUTLINE_COLLECTION_ID"],
        ),
        ({"OUTLINE_API_BASE": "https://u:p@wiki.example.com"}, ["OUTLINE_API_BASE", "login"]),
        ({"OUTLINE_API_KEY": "two words"}, ["OUTLINE_API_KEY", "blanks"]),
    ],
)
def test_a_wrong_or_half_given_value_is_named(environment, variables, named):
    environment(**{f"PERSONAL_CONTEXT_{name}": value for name, value in variables.items()})

    with pytest.raises(ConfigError) as caught:
        load_settings()

    assert all(part in caught.value.cause for part in named)
    assert caught.value.hint


def test_secrets_are_in_no_repr_and_in_no_error(environment):
    environment(**OUTLINE, PERSONAL_CONTEXT_HTTP_AUTH_PASSWORD="hunter2")

    with pytest.raises(ConfigError) as caught:
        load_settings()
    environment(PERSONAL_CONTEXT_HTTP_AUTH_USERNAME="ann")
    settings = load_settings()

    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in repr(settings)
    assert "ol_api_secret" not in repr(settings)
    assert settings.secrets == ("ol_api_secret", "hunter2")


def test_settings_can_not_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        load_settings().http_port = 1


def test_a_misspelt_variable_is_told_with_the_nearest_name():
    warnings = unknown_variables(
        {"PERSONAL_CONTEXT_OUTLINE_KEY": "x", "PERSONAL_CONTEXT_TEST_X": "y", "HOME": "/"}
    )

    [warning] = warnings
    assert warning.startswith("PERSONAL_CONTEXT_OUTLINE_KEY is not a setting")
    assert warning.endswith("did you mean PERSONAL_CONTEXT_OUTLINE_API_KEY?")


def test_misspelt_lines_of_the_env_file_are_told_too(tmp_path):
    (tmp_path / ".env").write_text(
        "PERSONAL_CONTEXT_OUTLINE_KEY=hunter2\nPERSONAL_CONTEXT_HTTP_PORT=9000\nOTHER=1\n", "utf-8"
    )

    [warning] = unknown_variables()

    assert warning.startswith("PERSONAL_CONTEXT_OUTLINE_KEY is not a setting")
    assert "hunter2" not in warning


def test_the_model_on_board_may_be_given_its_own_dimension(environment):
    environment(
        PERSONAL_CONTEXT_EMBEDDING_PROVIDER="local", PERSONAL_CONTEXT_EMBEDDING_DIMENSION="384"
    )

    assert load_settings().embedding_dimension == 384


@pytest.mark.parametrize(
    ("variables", "doubted"),
    [
        ({}, []),
        ({"EMBEDDING_MODEL": "x"}, ["EMBEDDING_MODEL"]),
        (
            {"EMBEDDING_MODEL": "x", "EMBEDDING_DIMENSION": "64"},
            ["EMBEDDING_MODEL", "EMBEDDING_DIMENSION"],
        ),
        ({"EMBEDDING_MODEL": "x", "EMBEDDING_API_KEY": "k"}, []),
        ({"EMBEDDING_MODEL": "x", "EMBEDDING_API_BASE": "http://localhost:1"}, []),
        ({"EMBEDDING_MODEL": "x", "EMBEDDING_PROVIDER": "ollama"}, []),
    ],
)
def test_settings_that_may_have_no_effect_are_told(environment, variables, doubted):
    environment(**{f"PERSONAL_CONTEXT_{name}": value for name, value in variables.items()})

    told = doubtful_settings(load_settings())

    assert [line.split(" ")[0] for line in told] == [f"PERSONAL_CONTEXT_{name}" for name in doubted]
