"""The spec for assistants keeps to their limits."""

import json

import pytest
from openapi_pydantic import OpenAPI
from processes import environment, run

from personal_context.domain.errors import InvalidInput
from personal_context.web.rest.actions import (
    LONGEST_DESCRIPTION,
    LONGEST_PARAMETER,
    MOST_OPERATIONS,
    actions,
)


def operations(spec):
    for item in spec["paths"].values():
        yield from item.values()


def test_the_spec_keeps_to_the_limits():
    spec = actions(version="1", server_url="https://context.example.com/")
    told = list(operations(spec))

    OpenAPI.model_validate(spec)
    assert spec["openapi"] == "3.1.0"
    assert spec["servers"] == [{"url": "https://context.example.com"}]
    assert 15 <= len(told) <= MOST_OPERATIONS == 30
    assert len({one["operationId"] for one in told}) == len(told)
    for one in told:
        assert 0 < len(one["description"]) <= LONGEST_DESCRIPTION == 300
        assert len(one["summary"]) <= 100
        for parameter in one["parameters"]:
            assert 0 < len(parameter["description"]) <= LONGEST_PARAMETER == 700
    assert not [path for path in spec["paths"] if "webhook" in path or path.endswith("/events")]
    assert "webhooks" not in spec


def test_what_changes_something_is_asked_for():
    spec = actions(version="1", server_url="https://context.example.com")

    asked = {one["operationId"]: one["x-openai-isConsequential"] for one in operations(spec)}
    assert not asked["search"]
    assert not asked["getContent"]
    assert asked["addContent"]
    assert asked["deleteContent"]


@pytest.mark.parametrize("url", ["", "context.example.com", "ftp://x", "https://", "https://x?y=1"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(InvalidInput, match="not an address"):
        actions(version="1", server_url=url)


def test_the_command_prints_it_and_needs_no_settings(tmp_path):
    done = run("gpt-spec", "--server-url", "https://x.example", env=environment(tmp_path))
    plain = run("gpt-spec", "--server-url", "http://127.0.0.1:8000", env=environment(tmp_path))

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["servers"] == [{"url": "https://x.example"}]
    assert "https:// addresses only" in plain.stderr
    assert not (tmp_path / "store").exists()
