import pytest
from hypothesis import given, strategies as st

from personal_context.domain.reference import Reference, parse_reference

UUID = "0b2c4d6e-8f10-4a2b-9c3d-4e5f60718293"


@pytest.mark.parametrize(
    "text",
    [UUID, UUID.upper(), f" {UUID}\n", f"https://wiki.example.com/doc/{UUID}", f"/doc/{UUID}#h"],
)
def test_an_id_is_found(text):
    assert parse_reference(text) == Reference(content_id=UUID)


@pytest.mark.parametrize(
    "text",
    [
        "hY7bQ2mN0p",
        "on-call-hY7bQ2mN0p",
        "/doc/on-call-hY7bQ2mN0p",
        "https://wiki.example.com/doc/on-call-hY7bQ2mN0p",
        "https://wiki.example.com/doc/on-call-hY7bQ2mN0p/",
        "https://wiki.example.com/doc/on-call-hY7bQ2mN0p/edit?x=1#h-escalation",
        "https://wiki.example.com/doc/b%C3%BCro-hY7bQ2mN0p",
    ],
)
def test_a_url_id_is_found(text):
    assert parse_reference(text) == Reference(url_id="hY7bQ2mN0p")


@pytest.mark.parametrize(
    "text", ["", "   ", "on call", "https://wiki.example.com", "[", "http://["]
)
def test_what_names_nothing_is_told(text):
    assert parse_reference(text) == Reference()


@given(st.text())
def test_any_text_is_read(text):
    found = parse_reference(text)

    assert found.content_id is None or found.url_id is None
