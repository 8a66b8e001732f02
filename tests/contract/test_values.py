from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.values import KINDS, echo_value, format_scalar


def _parse(kind: str, text: str) -> object:
    return KINDS[kind].parse(text)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("integer", "0", 0),
        ("integer", "-12", -12),
        ("number", "5", 5.0),
        ("number", "5.0", 5.0),
        ("number", "-122.33", -122.33),
        ("number", "5e-1", 0.5),
        ("number", "-0.000000", 0.0),
        ("boolean", "true", True),
        ("boolean", "false", False),
        ("date", "2024-02-29", date(2024, 2, 29)),
        ("date-time", "2026-08-10T16:00:00Z", datetime(2026, 8, 10, 16, tzinfo=UTC)),
        ("date-time", "2026-08-10t09:00:00-07:00", datetime(2026, 8, 10, 16, tzinfo=UTC)),
        ("date-time", "2026-08-10T16:00:00.25Z", datetime(2026, 8, 10, 16, 0, 0, 250_000, tzinfo=UTC)),
        ("date-time", "2026-08-10T16:00:00.123456789Z", datetime(2026, 8, 10, 16, 0, 0, 123_456, tzinfo=UTC)),
        # "+02:00" in a query string that was not percent-encoded
        ("date-time", "2026-08-10T18:00:00 02:00", datetime(2026, 8, 10, 16, tzinfo=UTC)),
        ("clock", "09:30", time(9, 30)),
        ("clock", "09:30:15", time(9, 30, 15)),
        ("minute", "00:00", time(0, 0)),
        ("uuid", "3F2B8C1E-5D4A-4B6F-9C7D-0A1B2C3D4E5F", "3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f"),
        ("text", "  Capitol Hill ", "Capitol Hill"),
        ("group-cursor", "places:10", "places:10"),
    ],
)
def test_a_text_has_one_value(kind: str, text: str, value: object):
    assert _parse(kind, text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *(("integer", text) for text in ("-0", "+1", "01", "1.0", "1e3", "٣", "１", "1_000", " 1", "0x1", "", "²")),
        *(("number", text) for text in ("nan", "inf", "-inf", "1e999", "-1e999", ".5", "5.", "٣", "1,5", "0x1", "--1")),
        *(("boolean", text) for text in ("True", "TRUE", "1", "0", "yes", "t", "")),
        *(
            ("date", text)
            for text in ("0000-01-01", "2026-02-30", "2026-13-01", "20260810", "2026-8-1", "2026-W01-1", "٢٠٢٦-٠١-٠١")
        ),
        *(
            ("date-time", text)
            for text in (
                "2026-08-10T16:00:00",
                "2026-08-10",
                "2026-08-10T16:00Z",
                "2026-08-10T24:01:00Z",
                "2026-08-10T16:00:60Z",
                "0000-08-10T16:00:00Z",
                "0001-01-01T00:00:00+14:00",
                "9999-12-31T23:59:59-14:00",
                "2026-08-10T16:00:00+99:00",
            )
        ),
        *(("clock", text) for text in ("9:00", "24:00", "09:60", "09:00:60", "09:00:00.5", "0900", "09:00Z", "٠٩:٠٠")),
        *(("minute", text) for text in ("09:00:00", "9:00", "24:00")),
        ("uuid", "3f2b8c1e5d4a4b6f9c7d0a1b2c3d4e5f"),
        ("uuid", "{3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f}"),
        *(("text", text) for text in ("a\x00b", "a\nb", "\x7f", "a\u0085b", "a\u2028b")),
        *(("group-cursor", text) for text in ("places", "places:", "places:-1", "places:01", ":1", "places:1:2")),
    ],
)
def test_a_text_of_another_form_has_none(kind: str, text: str):
    assert _parse(kind, text) is None


@given(st.sampled_from(sorted(KINDS)), st.text(max_size=40) | st.from_regex(r"[-+0-9:.TZe ]{1,30}", fullmatch=True))
def test_any_text_has_a_value_or_none_and_its_spelling_means_the_same(kind: str, text: str):
    value = KINDS[kind].parse(text)
    if value is not None:
        assert KINDS[kind].parse(format_scalar(value)) == value


@given(st.text("0123456789", min_size=1, max_size=5000))
def test_a_whole_number_of_any_length_is_read_or_refused(digits: str):
    assert (_parse("integer", digits) is None) == (len(digits) > 1 and digits[0] == "0")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (5.0, 5),
        (0.7, 0.7),
        (True, True),
        (4, 4),
        ("ballard", "ballard"),
        (("kids", "teens"), ["kids", "teens"]),
        (date(2026, 8, 10), "2026-08-10"),
        (time(9), "09:00"),
        (time(9, 0, 5), "09:00:05"),
        (datetime(2026, 8, 10, 16, tzinfo=UTC), "2026-08-10T16:00:00Z"),
    ],
)
def test_a_value_is_echoed_as_it_may_be_sent(value, shown: object):
    assert echo_value(value) == shown
    assert type(echo_value(value)) is type(shown)
