"""Where to listen, and what is wrong when that can't be had."""

import errno
import socket
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from personal_context.domain.errors import ConfigError

if TYPE_CHECKING:
    from personal_context.web.security import Credentials


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Where to listen, and for whom.

    Attributes:
        credentials: The one user; None for no login.
        hosts: Names that are answered to besides this machine's own.
        proxies: Addresses and networks of proxies that are believed when they say who asks.
    """

    host: str
    port: int
    credentials: "Credentials | None"
    hosts: Collection[str] = ()
    proxies: Collection[str] = ()

    @property
    def url(self) -> str:
        """The address for a person on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)  # noqa: S104 - recognised, not bound
        shown = f"[{host}]" if ":" in host and not host.startswith("[") else host
        return f"http://{shown}:{self.port}"


class PortTakenError(ConfigError):
    """Somebody listens on the port already."""

    default_hint = (
        "Another program may use the port: set PERSONAL_CONTEXT_HTTP_PORT to another one, or stop "
        "that program."
    )


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Raises:
        PortTakenError: The port is taken.
        ConfigError: The address is unknown or not this machine's, or the port is not for us.
    """
    what = f"Can't listen on {host}:{port}."
    listening = None
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, proto)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
        listening.setblocking(False)  # noqa: FBT003 - its only form
    except (OSError, UnicodeError) as error:  # a name that is none fails as Unicode
        if listening is not None:
            listening.close()
        cause = getattr(error, "strerror", None) or str(error)
        number = None if isinstance(error, socket.gaierror) else getattr(error, "errno", None)
        if number == errno.EADDRINUSE:
            raise PortTakenError(what, cause=cause) from None
        hint = _PORT_HINT if number == errno.EACCES else _HOST_HINT
        raise ConfigError(what, cause=cause, hint=hint) from None
    return listening


_PORT_HINT = "Set PERSONAL_CONTEXT_HTTP_PORT to a port from 1024 up; those below are the system's."
_HOST_HINT = (
    "Set PERSONAL_CONTEXT_HTTP_HOST to an address of this machine: 127.0.0.1 for this machine "
    "alone, 0.0.0.0 for all that reach it."
)
