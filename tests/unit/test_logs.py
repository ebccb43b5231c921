import logging

import pytest

from personal_context.logs import LineFormatter


def record(message, *args, error=None):
    return logging.LogRecord("x", logging.ERROR, "f", 1, message, args, error)


def failure(text):
    with pytest.raises(ValueError, match=text) as caught:
        int(text)
    return (caught.type, caught.value, caught.tb)


def test_secrets_are_struck_out_of_messages_arguments_and_traces():
    for verbose in (False, True):
        line = LineFormatter(verbose=verbose, secrets=["hunter2"]).format(
            record("key hunter2 %s", "hunter2", error=failure("hunter2"))
        )

        assert "hunter2" not in line
        assert line.count("***") >= 3


def test_a_longer_secret_is_struck_out_whole():
    line = LineFormatter(secrets=["abc", "abcdef"]).format(record("abcdef"))

    assert line.endswith(": ***")


def test_traces_are_shown_only_when_asked_for():
    quiet = LineFormatter().format(record("it failed", error=failure("why")))
    verbose = LineFormatter(verbose=True).format(record("it failed", error=failure("why")))

    assert "Traceback" not in quiet
    assert "it failed: ValueError(" in quiet
    assert "Traceback" in verbose
