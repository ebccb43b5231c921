from datetime import timedelta

import pytest
from builders import NOW
from hypothesis import given, strategies as st
from push_builders import added

from personal_context.domain.errors import (
    ConfigError,
    InvalidInput,
    UpstreamAuthError,
    UpstreamForbidden,
    UpstreamNotConfigured,
    UpstreamRateLimited,
    UpstreamRejected,
    UpstreamUnavailable,
)
from personal_context.domain.models import PushState
from personal_context.sync.retrying import FIRST_DELAY, LONGEST_DELAY, delay, put_off

PUSH = added().push


@given(st.integers(1, 10_000), st.floats(0, 1))
def test_the_wait_grows_and_is_capped(attempts, chance):
    wait = delay(attempts, chance)

    assert FIRST_DELAY / 2 <= wait <= LONGEST_DELAY
    assert delay(attempts, 0) * 2 <= LONGEST_DELAY + timedelta(seconds=1)


@pytest.mark.parametrize(
    "error", [UpstreamRejected("no", hint="do this"), UpstreamForbidden("no"), ConfigError("no")]
)
def test_what_outline_refuses_waits_for_a_person(error):
    push = put_off(PUSH, error, NOW)

    assert (push.state, push.attempts) == (PushState.FAILED, 1)
    assert push.error.startswith(error.what)
    assert "\nTry: " in push.error


@pytest.mark.parametrize(
    "error",
    [
        UpstreamUnavailable("503"),
        UpstreamAuthError("401"),
        UpstreamNotConfigured("not set"),
        InvalidInput("no such collection, yet"),
        TimeoutError(),
        ValueError("a bug"),
    ],
)
def test_what_may_pass_is_tried_again_later(error):
    push = put_off(PUSH, error, NOW)

    assert push.state is PushState.PENDING
    assert NOW + FIRST_DELAY / 2 <= push.next_try_at <= NOW + FIRST_DELAY
    assert push.error


def test_outlines_own_word_about_waiting_is_obeyed():
    assert put_off(PUSH, UpstreamRateLimited("429", retry_after=600), NOW).next_try_at == (
        NOW + timedelta(seconds=600)
    )
    wrong = put_off(PUSH, UpstreamRateLimited("429", retry_after=1e9), NOW)
    assert wrong.next_try_at == NOW + LONGEST_DELAY


def test_a_stop_is_nobodys_fault():
    push = put_off(PUSH, None, NOW)

    assert (push.state, push.attempts, push.error) == (PushState.PENDING, 0, None)
    assert push.next_try_at == NOW
