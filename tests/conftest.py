"""For all tests: a clean environment, retries that don't sleep, examples that don't hurry."""

import os

import pytest
import stamina
from hypothesis import HealthCheck, settings

# How long an example takes is the machine's business. In CI the same examples come every time, so
# that a change is judged by itself; elsewhere each run looks at others.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")


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
