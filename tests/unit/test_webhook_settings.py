import pytest

from personal_context.config import load_settings
from personal_context.domain.errors import ConfigError

SECRET = "0123456789abcdef"


def test_address_and_secret_are_read():
    settings = load_settings(webhook_url="https://context.example.com/", webhook_secret=SECRET)

    assert settings.webhook_url == "https://context.example.com"
    assert settings.webhook_secret.get_secret_value() == SECRET
    assert SECRET in settings.secrets
    assert SECRET not in repr(settings)


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("webhook_url", "context.example.com", "not a web address"),
        ("webhook_url", "ftp://context.example.com", "not a web address"),
        ("webhook_url", "https://me:pw@context.example.com", "login"),
        ("webhook_url", "https://context.example.com?key=1", "query"),
        ("webhook_url", "https://context.example.com/#x", "fragment"),
        ("webhook_secret", "tooshort", "at least 16 characters"),
        ("webhook_secret", "with a blank in the middle", "blanks"),
    ],
)
def test_what_can_not_work_is_named_without_the_secret(setting, value, said):
    with pytest.raises(ConfigError) as error:
        load_settings(**{setting: value})

    assert f"PERSONAL_CONTEXT_{setting.upper()}" in error.value.cause
    assert said in error.value.cause
    assert setting == "webhook_url" or value not in str(error.value)
