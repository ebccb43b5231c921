"""The guards in front of every route, as pure ASGI middleware: streams pass untouched."""

from collections.abc import Collection, Mapping

from starlette.middleware import Middleware

from personal_context.web.security.addresses import ForwardedBy
from personal_context.web.security.auth import BasicAuth, Credentials
from personal_context.web.security.body import BodyLimit
from personal_context.web.security.headers import SecurityHeaders
from personal_context.web.security.origin import OriginGuard, allowed_hosts
from personal_context.web.security.unforeseen import Unforeseen
from personal_context.web.security.watch import Watch
from personal_context.web.traffic import Traffic

__all__ = [
    "BasicAuth",
    "BodyLimit",
    "Credentials",
    "ForwardedBy",
    "OriginGuard",
    "SecurityHeaders",
    "Unforeseen",
    "Watch",
    "allowed_hosts",
    "guards",
]


def guards(
    credentials: Credentials | None,
    *,
    hosts: Collection[str] | None = None,
    origins: Collection[str] = (),
    open_paths: Collection[str] = (),
    larger_bodies: Mapping[str, int] | None = None,
    proxies: Collection[str] = (),
    traffic: Traffic | None = None,
) -> list[Middleware]:
    """Return the guards for the whole application, outermost first.

    Args:
        credentials: The one user; None leaves the door open.
        hosts: See `allowed_hosts`.
        origins: Foreign origins that are welcome.
        open_paths: Paths that need no login besides /livez, and are answered under any host.
        larger_bodies: Path prefix -> bytes, for what has to take more than a megabyte.
        proxies: Addresses and networks of proxies that are believed when they say who asks.
        traffic: Counts the requests, for /metrics.
    """
    stack = [Middleware(ForwardedBy, proxies=proxies)] if proxies else []
    stack += [
        Middleware(Watch, traffic=traffic),
        Middleware(SecurityHeaders),
        Middleware(Unforeseen),
        Middleware(OriginGuard, hosts=hosts, origins=origins, open_paths=open_paths),
    ]
    if credentials is not None:
        stack.append(Middleware(BasicAuth, credentials, open_paths=open_paths))
    stack.append(Middleware(BodyLimit, larger=larger_bodies))
    return stack
