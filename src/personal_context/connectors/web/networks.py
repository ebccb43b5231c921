"""Which network addresses a page may be fetched from. Pure.

The lists are IANA's registries of special-purpose addresses, written out: what Python's
`ipaddress` calls global has changed between its releases.
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

Address = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an address is not fetched from.

    Attributes:
        kind: What the address is, for a person: `a private address`.
        always: No setting lets it through.
    """

    kind: str
    always: bool = False


_UNSPECIFIED = Refusal("no address of a machine", always=True)
_MULTICAST = Refusal("a multicast address", always=True)
_RESERVED = Refusal("a reserved address", always=True)
_METADATA = Refusal("the metadata service of a cloud", always=True)
_LOOPBACK = Refusal("this machine itself")
_LINK_LOCAL = Refusal("a link-local address")
_PRIVATE = Refusal("a private address")
_SHARED = Refusal("an address behind a carrier's NAT")
_EMBEDDED = Refusal("an IPv4 address in the form of an IPv6 address")

# The first network that holds an address decides.
_IPV4: Final = tuple(
    (IPv4Network(network), refusal)
    for network, refusal in (
        ("169.254.169.254/32", _METADATA),  # AWS, Google, Azure, and most others
        ("169.254.170.2/32", _METADATA),  # AWS, for containers
        ("100.100.100.200/32", _METADATA),  # Alibaba
        ("192.0.0.192/32", _METADATA),  # Oracle
        ("168.63.129.16/32", _METADATA),  # Azure's own, although it looks public
        ("0.0.0.0/8", _UNSPECIFIED),
        ("10.0.0.0/8", _PRIVATE),
        ("100.64.0.0/10", _SHARED),
        ("127.0.0.0/8", _LOOPBACK),
        ("169.254.0.0/16", _LINK_LOCAL),
        ("172.16.0.0/12", _PRIVATE),
        ("192.0.0.0/24", _RESERVED),
        ("192.0.2.0/24", _RESERVED),
        ("192.88.99.0/24", _RESERVED),
        ("192.168.0.0/16", _PRIVATE),
        ("198.18.0.0/15", _PRIVATE),  # for benchmarks, used as private
        ("198.51.100.0/24", _RESERVED),
        ("203.0.113.0/24", _RESERVED),
        ("224.0.0.0/4", _MULTICAST),
        ("240.0.0.0/4", _RESERVED),
    )
)

_IPV6: Final = tuple(
    (IPv6Network(network), refusal)
    for network, refusal in (
        ("fd00:ec2::254/128", _METADATA),  # AWS
        ("fd20:ce::254/128", _METADATA),  # Google
        ("::1/128", _LOOPBACK),
        ("::/128", _UNSPECIFIED),
        ("fc00::/7", _PRIVATE),
        ("fe80::/10", _LINK_LOCAL),
        ("fec0::/10", _PRIVATE),
        ("ff00::/8", _MULTICAST),
        ("2001::/23", _RESERVED),  # Teredo and other protocols' own
        ("2001:db8::/32", _RESERVED),
        ("3fff::/20", _RESERVED),
    )
)
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")

_LOW_32: Final = 0xFFFF_FFFF
# Networks of IPv6 addresses that stand for an IPv4 one, and how far to the right that one ends.
_EMBEDDING: Final = tuple(
    (IPv6Network(network), shift)
    for network, shift in (
        ("::ffff:0:0/96", 0),  # mapped
        ("::ffff:0:0:0/96", 0),  # translated
        ("64:ff9b::/96", 0),  # NAT64
        ("64:ff9b:1::/48", 0),  # NAT64 of a network's own
        ("2002::/16", 80),  # 6to4
        ("::/96", 0),  # compatible
    )
)


def refusal(address: Address) -> Refusal | None:
    """Say why an address is not fetched from, or None if it is a public one."""
    if isinstance(address, IPv4Address):
        return next((why for network, why in _IPV4 if address in network), None)
    plain = IPv6Address(int(address))  # without the zone, which `in` would trip over
    for network, why in _IPV6:
        if plain in network:
            return why
    inner = embedded(plain)
    if inner is not None:
        why = refusal(inner) or _EMBEDDED
        return why if why.always else _EMBEDDED
    return None if plain in _GLOBAL_UNICAST else _RESERVED


def embedded(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address stands for, or None."""
    for network, shift in _EMBEDDING:
        if address in network:
            return IPv4Address(int(address) >> shift & _LOW_32)
    return None


def is_fetchable(address: str, *, allow_private: bool) -> Refusal | None:
    """Say why an address, as a resolver gave it, is not fetched from; None if it may be.

    Args:
        address: An IPv4 or IPv6 address; what is none is refused.
        allow_private: Let through what only a network of one's own can reach.
    """
    try:
        found = refusal(ip_address(address))
    except ValueError:
        return _UNSPECIFIED
    if found is None or (allow_private and not found.always):
        return None
    return found
