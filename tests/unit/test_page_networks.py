"""Where pages are fetched from, and where not."""

from ipaddress import ip_address

import pytest
from hypothesis import example, given, strategies as st

from personal_context.connectors.web.networks import embedded, is_fetchable, refusal

PUBLIC = ["93.184.215.14", "8.8.8.8", "1.1.1.1", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]

PRIVATE = [
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.0.9",
    "169.254.1.1",
    "172.16.0.1",
    "172.31.255.254",
    "192.168.1.1",
    "198.18.0.1",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456::1",
    "fec0::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "2002:c0a8:101::1",
]

NEVER = [
    "0.0.0.0",
    "0.1.2.3",
    "::",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "ff02::1",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.51.100.7",
    "203.0.113.7",
    "2001::1",
    "2001:db8::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::",
    "not an address",
    "",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_fetched_from(address):
    assert is_fetchable(address, allow_private=False) is None


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_need_a_persons_word(address):
    assert is_fetchable(address, allow_private=False) is not None
    assert is_fetchable(address, allow_private=True) is None


@pytest.mark.parametrize("address", NEVER)
def test_what_is_no_site_is_never_fetched_from(address):
    assert is_fetchable(address, allow_private=False) is not None
    assert is_fetchable(address, allow_private=True) is not None


@given(st.ip_addresses())
@example(ip_address("192.0.0.9"))
def test_nothing_passes_that_python_calls_private(address):
    if refusal(address) is None:
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_reserved


@given(st.ip_addresses(v=4))
@example(ip_address("127.0.0.1"))
@example(ip_address("8.8.8.8"))
def test_no_ipv6_form_of_an_ipv4_address_passes(address):
    number = int(address)
    forms = [
        number,
        0xFFFF << 32 | number,
        0xFFFF << 48 | number,
        0x0064FF9B << 96 | number,
        0x2002 << 112 | number << 80,
    ]
    for form in map(ip_address, (int(n).to_bytes(16, "big") for n in forms)):
        assert embedded(form) == address
        assert refusal(form) is not None
