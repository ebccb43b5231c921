import logging

import pytest

from personal_context.logs import LineFormatter


def record(message, *args, error=None):
    return logging.LogRecord("x", logging.ERROR, "f", 1, message, args, error)


def failure(text):
    with pytest.raises(ValueError, match="invalid literal") as caught:
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


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "one\n12:00:00 INFO forged: line",
        "a\rb",
        "a\x1b[2Jb",
        "a\x85b",
        "a\u2028b",
        "a\x0bb",
        "a\0b",
    ],
)
def test_a_record_stays_on_its_line_whatever_it_holds(text, verbose):
    shown = LineFormatter(verbose=verbose).format(record("said %s", text))

    assert shown.splitlines() == [shown]
    assert shown.isprintable()
    assert "said " in shown


def test_an_error_stays_on_its_line_without_its_trace():
    shown = LineFormatter().format(record("it failed", error=failure("why\nnot")))

    assert shown.splitlines() == [shown]


def test_no_line_of_a_trace_can_be_taken_for_a_record():
    with pytest.raises(OSError, match="why") as caught:
        raise OSError("why\n12:00:00 INFO forged: \x1b[2Jline")
    error = (caught.type, caught.value, caught.tb)

    shown = LineFormatter(verbose=True).format(record("it failed", error=error))

    first, *trace = shown.splitlines()
    assert first.endswith("it failed")
    assert len(trace) > 3
    assert all(line.startswith("  | ") for line in trace)
    assert "\x1b" not in shown


def test_a_secret_is_struck_out_in_its_escaped_form_too():
    secret = "quo'te\\and\ttab"

    line = LineFormatter(secrets=[secret]).format(record("%r and %s", secret, secret))

    assert line.count("***") == 2
    assert "quo" not in line


def test_tabs_and_other_scripts_are_left_alone():
    line = LineFormatter().format(record("a\tb, schön, 東京"))

    assert line.endswith("a\tb, schön, 東京")
