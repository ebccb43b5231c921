"""The settings that are in force, for people to see. Secrets stay secret."""

import os
from collections.abc import Collection, Sequence

from pydantic import SecretStr

from personal_context.config import PREFIX, Settings, env_file
from personal_context.domain.models import EffectiveSetting, Origin


def effective_settings(
    settings: Settings, environment: Collection[str] | None = None
) -> Sequence[EffectiveSetting]:
    """Return every setting, in the order of their declaration.

    Args:
        settings: As they were read.
        environment: Names of variables; None for this process's.
    """
    names = {name.upper() for name in (os.environ if environment is None else environment)}
    return [
        EffectiveSetting(
            name=PREFIX + name.upper(),
            value=_written(value := getattr(settings, name)),
            secret="SecretStr" in str(field.annotation),
            is_set=value not in (None, ()),
            origin=_origin(name, settings, names),
            description=field.description or "",
        )
        for name, field in Settings.model_fields.items()
    ]


def _written(value: object) -> str:
    if value is None or isinstance(value, SecretStr):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _origin(name: str, settings: Settings, environment: Collection[str]) -> Origin:
    value, field = getattr(settings, name), Settings.model_fields[name]
    if name not in settings.model_fields_set or value in (None, ()):
        return "default"
    if PREFIX + name.upper() in environment:
        return "environment"
    if env_file().is_file():
        return "file"
    return "default" if value == field.default else "program"
