"""For all tests: a clean environment, and retries that don't sleep."""

import os

import pytest
import stamina


@pytest.fixture(autouse=True)
def _clean_world(monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.startswith("PERSONAL_CONTEXT_") and not name.startswith("PERSONAL_CONTEXT_TEST_"):
            monkeypatch.delenv(name)
    # A .env beside the tests, or somebody's real store, must never be read.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with stamina.set_testing(True, attempts=3, cap=True):
        yield
