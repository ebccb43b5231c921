"""Fetching over a real network: sockets, TLS, and the environment."""

import asyncio
import contextlib
import ssl
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from personal_context.connectors.web.fetching import Fetcher
from personal_context.domain.errors import WebRefused, WebUnavailable

PAGE = b"<title>Tides</title><p>High water at noon."


async def to_loopback(_host, _port):
    return ["127.0.0.1"]


def fetcher(**more):
    return Fetcher(version="1", **{"allow_private": True, "resolve": to_loopback, **more})


@contextlib.asynccontextmanager
async def site(answer=PAGE, *, tls=None, seen=None):
    """A server that answers everything with one page, on a free port."""

    ended = []

    async def serve(reader, writer):
        over = asyncio.get_running_loop().create_future()
        ended.append(over)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            if seen is not None:
                seen.append(head.decode())
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(answer), answer))
            await writer.drain()
            # Kept open, as servers do: it's for us not to use it again.
            await reader.read()
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        over.set_result(None)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield server.sockets[0].getsockname()[1]
        await asyncio.gather(*ended)


def certificate(folder, *names):
    """A TLS context of a server with these names, and the file that vouches for it."""
    key = ec.generate_private_key(ec.SECP256R1())
    alternatives = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(alternatives, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "site.pem"
    path.write_bytes(
        signed.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(path)
    return context, path


async def test_the_certificate_is_that_of_the_name_not_of_the_address(tmp_path, monkeypatch):
    context, path = certificate(tmp_path, "sea.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    asked = []
    context.sni_callback = lambda _socket, name, _context: asked.append(name)
    seen = []

    async with site(tls=context, seen=seen) as port:
        found = await fetcher().fetch(f"https://sea.example:{port}/x", obey_robots=False)
        with pytest.raises(WebUnavailable, match="can't be reached"):
            await fetcher().fetch(f"https://land.example:{port}/x", obey_robots=False)

    assert found.body == PAGE
    assert asked == ["sea.example", "land.example"]
    assert f"host: sea.example:{port}" in seen[0].lower()
    assert len(seen) == 1


async def test_an_unknown_certificate_is_not_trusted(tmp_path):
    context, _ = certificate(tmp_path, "sea.example")

    async with site(tls=context) as port:
        with pytest.raises(WebUnavailable, match="CERTIFICATE_VERIFY_FAILED"):
            await fetcher().fetch(f"https://sea.example:{port}/", obey_robots=False)


async def test_a_connection_is_never_used_for_another_name(tmp_path, monkeypatch):
    # Both names lead to one address; whoever kept the connection would trust it for the second.
    context, path = certificate(tmp_path, "sea.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    away = b'<meta http-equiv="refresh" content="0;url=https://land.example:%d/">'
    answer = bytearray(b" " * 100)

    async with site(answer, tls=context) as port:
        answer[:] = (away % port).ljust(100)
        with pytest.raises(WebUnavailable, match="certificate"):
            await fetcher().fetch(f"https://sea.example:{port}/", obey_robots=False)


async def test_proxies_of_the_environment_are_passed_by(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    async with site() as port:
        found = await fetcher().fetch(f"http://sea.example:{port}/")

    assert found.body == PAGE


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"])
async def test_nothing_reaches_this_machine_unasked(host):
    seen = []
    async with site(seen=seen) as port:
        with pytest.raises(WebRefused):
            await Fetcher(version="1").fetch(f"http://{host}:{port}/")

    assert seen == []


async def test_a_server_that_says_nothing_is_left():
    async with site(seen=[]) as port:
        reader = f"http://sea.example:{port}/"
        with pytest.raises(WebUnavailable, match="took too long"):
            await fetcher(seconds=0.0).fetch(reader)
