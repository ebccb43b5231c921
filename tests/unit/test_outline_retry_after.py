from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given, strategies as st

from personal_context.upstream.retry_after import retry_after

NOW = datetime(2026, 11, 21, 7, 17, 59, tzinfo=UTC)
SENT = {"date": "Sat, 21 Nov 2026 07:17:59 GMT"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "59"}, 59),
        ({"retry-after": " 59.54 "}, 59.54),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "59", "ratelimit-reset": "7"}, 59),
        ({"retry-after": "soon", "ratelimit-reset": "7"}, 7),
        ({"retry-after": "Sat, 21 Nov 2026 07:18:59 GMT"} | SENT, 60),
        ({"retry-after": "Sat, 21 Nov 2026 07:00:00 GMT"} | SENT, 0),
        # Without the server's clock a date says nothing.
        ({"retry-after": "Sat, 21 Nov 2026 07:18:59 GMT"}, None),
        ({"ratelimit-reset": "Sat Nov 21 2026 07:18:59 GMT+0000 (Coordinated …)"} | SENT, 60),
        ({"ratelimit-reset": "Sat Nov 21 2026 10:18:59 GMT+0300 (Moscow)"} | SENT, 60),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "1e400"}, None),
        ({"retry-after": "٣"}, None),
    ],
)
def test_every_form_that_servers_send(headers, seconds):
    assert retry_after(headers) == seconds


@given(st.dictionaries(st.sampled_from(["date", "retry-after", "ratelimit-reset"]), st.text()))
def test_any_header_gives_seconds_or_nothing(headers):
    seconds = retry_after(headers)
    assert seconds is None or seconds >= 0


@given(
    st.text("0123456789 :,.+-GMTSatNovFebJan()", max_size=40),
    st.sampled_from(["", "Sat Nov 21 2026 ", "Sat, 21 Nov 2026 ", "Sat Nov 99 2026 99:99:99 GMT"]),
)
def test_almost_dates_give_seconds_or_nothing(tail, head):
    seconds = retry_after({"retry-after": head + tail} | SENT)
    assert seconds is None or seconds >= 0


@given(
    st.integers(0, 10_000_000),
    st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)
def test_dates_are_read_in_both_notations(seconds, zone):
    until = (NOW + timedelta(seconds=seconds)).astimezone(zone)
    http = format_datetime(until)
    weekday, day, month, year, clock, offset = http.replace(",", "").split()
    script = f"{weekday} {month} {day} {year} {clock} GMT{offset} (Somewhere Standard Time)"
    assert retry_after({"retry-after": http} | SENT) == seconds
    assert retry_after({"ratelimit-reset": script} | SENT) == seconds
