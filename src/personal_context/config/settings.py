"""Every setting, with what makes its value a good one."""

from collections.abc import Sequence
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PREFIX = "PERSONAL_CONTEXT_"
ENV_FILE = ".env"
ENV_FILE_VARIABLE = f"{PREFIX}ENV_FILE"
"""Names another file; only the environment can say so."""
ENV_ENCODING = "utf-8"
SHORTEST_SECRET = 16
LOCAL_DIMENSION = 384
"""Length of the vectors of the model on board."""

SearchFusion = Literal["minmax", "rrf"]
SearchAccelerator = Literal["auto", "off"]
ToolProfile = Literal["core", "full", "lean", "readonly"]
EmbeddingProvider = Literal["auto", "openai", "ollama", "local", "fastembed"]


class Settings(BaseSettings):
    """Every field is an environment variable with the prefix, or a line of `.env`.

    Each has its line in `.env.example` and its entry in docs/settings.md; a test compares them.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=ENV_FILE,
        env_file_encoding=ENV_ENCODING,
        env_ignore_empty=True,
        frozen=True,
        extra="ignore",
        hide_input_in_errors=True,
    )

    db_path: Path = Field(
        default=Path("~/.personal-context/context.db"),
        description="The SQLite file. Its folder is made when missing, for you alone.",
    )
    embedding_provider: EmbeddingProvider = Field(
        default="auto",
        description="Who turns text into vectors. auto: openai when a base or key is set, else "
        "Ollama if it answers on its default port, else the embedded model. fastembed: a model of "
        "the package of that name, if it is installed.",
    )
    embedding_api_base: str | None = Field(
        default=None,
        description="Base address of an OpenAI-compatible server, e.g. https://api.openai.com/v1.",
    )
    embedding_api_key: SecretStr | None = Field(
        default=None, description="Key for that server, if it wants one."
    )
    embedding_model: str | None = Field(
        default=None,
        description="Model name at that server. Default: text-embedding-3-small, or "
        "nomic-embed-text with Ollama.",
    )
    embedding_dimension: int | None = Field(
        default=None,
        ge=1,
        le=8192,
        description="Vector length. Default: what the model gives.",
    )
    embedding_price: float | None = Field(
        default=None,
        ge=0,
        le=1_000_000,
        allow_inf_nan=False,
        description="Dollars for a million tokens, to tell the cost. Default: known for OpenAI's.",
    )
    search_vector_weight: float = Field(
        default=0.6,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="Share of meaning in a result's score, 0 to 1; words have the rest.",
    )
    search_fusion: SearchFusion = Field(
        default="minmax",
        description="How words and meaning are joined. minmax: by their scores. rrf: by their "
        "ranks alone.",
    )
    search_accelerator: SearchAccelerator = Field(
        default="auto",
        description="Whether searches are answered from memory. auto: yes. off: from the database "
        "alone, with less memory and more time.",
    )
    outline_api_base: str | None = Field(
        default=None, description="Your Outline's address, e.g. https://wiki.example.com."
    )
    outline_api_key: SecretStr | None = Field(
        default=None,
        description="An API key from Outline: Settings, API & Apps. Scopes: none (all), or "
        "`read write documents.archived documents.deleted`.",
    )
    outline_collection_id: str | None = Field(
        default=None,
        description="The collection that is mirrored and that new content goes to: its id, the "
        "address you see in the browser, or its exact name.",
    )
    outline_allow_delete: bool = Field(
        default=False,
        description="Whether `delete` may move documents to Outline's trash, from which they can "
        "be restored.",
    )
    prompts_collection_id: str | None = Field(
        default=None,
        description="The collection whose documents are your prompts for agents, named as above. "
        "It is mirrored too.",
    )
    sync_enabled: bool = Field(
        default=True, description="Whether collections are pulled by themselves."
    )
    sync_interval: int = Field(
        default=300, ge=5, le=86_400, description="Seconds between two pulls of a collection."
    )
    sync_sweep_interval: int = Field(
        default=3600,
        ge=60,
        le=604_800,
        description="Seconds between two sweeps: pulls that compare every document.",
    )
    sync_trash_days: int = Field(
        default=30,
        ge=0,
        le=3650,
        description="Days that a removed document waits in the local trash.",
    )
    sync_collections: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Collections to mirror, separated by commas; `*` for all that the key sees. "
        "Empty: only the default collection.",
    )
    tools: ToolProfile = Field(
        default="core",
        description="Which MCP tools clients see. core: those of every day. full: also reindex, "
        "full_resync, outbox, delete and restore. lean: three that lead to all. readonly: those "
        "that read.",
    )
    redact_secrets: bool = Field(
        default=False,
        description="Whether what looks like a secret in added text is masked before it is "
        "stored. Otherwise it is kept, and the answer warns.",
    )
    web_allow_private: bool = Field(
        default=False,
        description="Whether pages may be fetched from your own network, too, and from this "
        "machine.",
    )
    http_host: str = Field(
        default="127.0.0.1",
        description="Address to listen on. Anything but this machine's own needs a login; if none "
        "is set, a password is made up and printed once.",
    )
    http_port: int = Field(default=8000, ge=0, le=65_535, description="Port to listen on.")
    http_auth_username: str | None = Field(
        default=None, description="User name for basic auth. Goes with the password."
    )
    http_auth_password: SecretStr | None = Field(
        default=None, description="Password for basic auth. Goes with the user name."
    )
    http_allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Names under which this server is reached, separated by commas, e.g. "
        "context.example.com. On 127.0.0.1 they come to this machine's own; elsewhere they are "
        "all that is answered to, if any is set.",
    )
    http_trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Addresses and networks of proxies in front, separated by commas, e.g. "
        "127.0.0.1,10.0.0.0/8. They are believed when they say who asks (X-Forwarded-For), and "
        "nobody else is.",
    )
    webhook_url: str | None = Field(
        default=None,
        description="Address under which Outline reaches this server, e.g. "
        "https://context.example.com. `personal-context webhook enable` needs it.",
    )
    webhook_secret: SecretStr | None = Field(
        default=None,
        description="Signs Outline's deliveries. Default: made up and kept in the database.",
    )

    @field_validator("db_path", mode="after")
    @classmethod
    def _at_home(cls, path: Path) -> Path:
        try:
            return path.expanduser()
        except RuntimeError:
            raise ValueError(
                f"{path.parts[0]} is nobody's home here; write the path in full"
            ) from None

    @field_validator(
        "sync_collections", "http_allowed_hosts", "http_trusted_proxies", mode="before"
    )
    @classmethod
    def _comma_separated(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))

    @field_validator("http_allowed_hosts", mode="after")
    @classmethod
    def _are_names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            # An address of IPv6 has colons of its own.
            if set(name) & set("/@?#* ") or (name.count(":") == 1):
                raise ValueError(f"{name!r} is no name; write it without https:// and port")
        return value

    @field_validator("http_trusted_proxies", mode="after")
    @classmethod
    def _are_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for network in value:
            try:
                ip_network(network)
            except ValueError:
                raise ValueError(
                    f"{network!r} is neither an address nor a network; write 10.0.0.5, or "
                    "10.0.0.0/8"
                ) from None
        return value

    @field_validator("outline_api_base", "embedding_api_base", "webhook_url", mode="after")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("not a web address; write it as https://host or http://host:port")
        if parts.username or parts.password:
            raise ValueError("holds a login; write the address without user:password@")
        return value.rstrip("/")

    @field_validator("outline_api_key", "embedding_api_key", "webhook_secret", mode="after")
    @classmethod
    def _is_header_value(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not all(
            "!" <= letter <= "~" for letter in value.get_secret_value()
        ):
            raise ValueError(
                "holds blanks or characters that no key has; copy the key again, without quotes"
            )
        return value

    @field_validator("webhook_url", mode="after")
    @classmethod
    def _takes_a_path(cls, value: str | None) -> str | None:
        if value is not None and set(value) & set("?#"):
            raise ValueError("holds a query or a fragment; write the address alone")
        return value

    @field_validator("webhook_secret", mode="after")
    @classmethod
    def _is_hard_to_guess(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value.get_secret_value()) < SHORTEST_SECRET:
            raise ValueError(
                f"is too short; write at least {SHORTEST_SECRET} characters, e.g. what "
                "`openssl rand -hex 32` prints"
            )
        return value

    @model_validator(mode="after")
    def _whole(self) -> Self:
        self._outline_is_whole()
        if (self.http_auth_username is None) != (self.http_auth_password is None):
            given, missing = "USERNAME", "PASSWORD"
            if self.http_auth_username is None:
                given, missing = missing, given
            raise ValueError(
                f"{PREFIX}HTTP_AUTH_{given} is set but {PREFIX}HTTP_AUTH_{missing} is not; "
                "set both, or neither"
            )
        if ":" in (self.http_auth_username or ""):
            raise ValueError(
                f"{PREFIX}HTTP_AUTH_USERNAME holds a colon, which basic auth can't carry; "
                "write one without"
            )
        self._embedding_is_whole()
        return self

    def _embedding_is_whole(self) -> None:
        if self.embedding_provider == "openai" and not (
            self.embedding_api_base or self.embedding_api_key
        ):
            raise ValueError(
                f"{PREFIX}EMBEDDING_PROVIDER=openai needs {PREFIX}EMBEDDING_API_KEY, or "
                f"{PREFIX}EMBEDDING_API_BASE for a server of your own"
            )
        if self.embedding_provider not in {"local", "fastembed"}:
            return
        names = ["embedding_api_base", "embedding_api_key"]
        if self.embedding_provider == "fastembed":
            self._has_no(names, "runs on this machine")
            return
        names.append("embedding_model")
        idle = [name for name in names if getattr(self, name) is not None]
        if self.embedding_dimension not in {None, LOCAL_DIMENSION}:
            idle.append("embedding_dimension")
        if idle:
            variables = " and ".join(PREFIX + name.upper() for name in idle)
            raise ValueError(
                f"{PREFIX}EMBEDDING_PROVIDER=local is the model on board, with "
                f"{LOCAL_DIMENSION} dimensions; {variables} can't apply to it: remove it, or "
                "choose openai or ollama"
            )

    def _has_no(self, names: Sequence[str], why: str) -> None:
        idle = [PREFIX + name.upper() for name in names if getattr(self, name) is not None]
        if idle:
            raise ValueError(
                f"{PREFIX}EMBEDDING_PROVIDER={self.embedding_provider} {why}; "
                f"{' and '.join(idle)} can't apply to it: remove it, or choose openai or ollama"
            )

    def _outline_is_whole(self) -> None:
        names = ("outline_api_base", "outline_api_key")
        missing = [name for name in names if getattr(self, name) is None]
        wants_outline = len(missing) < len(names) or bool(
            self.outline_collection_id or self.prompts_collection_id or self.sync_collections
        )
        if missing and wants_outline:
            variables = " and ".join(PREFIX + name.upper() for name in missing)
            raise ValueError(
                f"Outline is half set: {variables} missing; set it too, or remove the other "
                f"{PREFIX}OUTLINE_… and collection settings to work without Outline"
            )
        if not missing and not (self.outline_collection_id or self.sync_collections):
            raise ValueError(
                f"{PREFIX}OUTLINE_COLLECTION_ID is missing; write the collection's name or the "
                f"address you see in the browser, or set {PREFIX}SYNC_COLLECTIONS=*"
            )

    @property
    def local_mode(self) -> bool:
        """No Outline is set: the store works alone."""
        return self.outline_api_base is None

    @property
    def wanted_collections(self) -> tuple[str, ...]:
        """Collections to mirror as the person named them, distinct; `*` stands for all."""
        chosen = self.sync_collections or tuple(filter(None, [self.outline_collection_id]))
        extra = tuple(filter(None, [self.prompts_collection_id]))
        return tuple(dict.fromkeys((*chosen, *extra)))

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be shown."""
        held = (
            self.embedding_api_key,
            self.outline_api_key,
            self.http_auth_password,
            self.webhook_secret,
        )
        return tuple(secret.get_secret_value() for secret in held if secret is not None)
