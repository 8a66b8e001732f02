import pytest

from outings.contract import errors
from outings.contract.errors import CODES, REASONS, ApiError, bad_request


def test_the_codes_are_the_twelve_of_the_contract_with_their_status():
    assert sorted((value.status, code) for code, value in CODES.items()) == [
        (400, "bad_request"),
        (401, "unauthorized"),
        (403, "feature_not_in_plan"),
        (403, "forbidden"),
        (403, "include_not_permitted"),
        (404, "not_found"),
        (405, "method_not_allowed"),
        (429, "quota_exceeded"),
        (429, "rate_limited"),
        (500, "internal"),
        (501, "not_implemented"),
        (503, "unavailable"),
    ]


def test_the_reasons_are_the_closed_list_of_the_decisions():
    reasons = (
        "unknown_parameter parameter_not_supported missing_parameter invalid_value out_of_range contradictory "
        "window_too_long nothing_searchable metro_required include_not_supported cursor_malformed cursor_mismatch "
        "cursor_expired cursor_ahead"
    )
    assert sorted(REASONS) == sorted(reasons.split())


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errors.unauthorized(), 401, "unauthorized"),
        (errors.forbidden(metros=["seattle"]), 403, "forbidden"),
        (errors.include_not_permitted("source", permission={}, links={}), 403, "include_not_permitted"),
        (errors.feature_not_in_plan("where", permission={}, links={}), 403, "feature_not_in_plan"),
        (errors.not_found("There is no such event."), 404, "not_found"),
        (errors.method_not_allowed(), 405, "method_not_allowed"),
        (errors.rate_limited(3), 429, "rate_limited"),
        (errors.quota_exceeded(86_400), 429, "quota_exceeded"),
        (errors.internal(), 500, "internal"),
        (errors.not_implemented("No geocoder is configured."), 501, "not_implemented"),
        (errors.unavailable(2), 503, "unavailable"),
        (bad_request(param="lat", reason="invalid_value", message="lat is 'x'."), 400, "bad_request"),
    ],
)
def test_each_constructor_gives_its_code_and_status(error: ApiError, status: int, code: str):
    assert (error.status, error.code) == (status, code)
    assert error.message.endswith(".")


def test_a_refused_method_names_those_that_are_allowed_in_the_body_and_the_header():
    error = errors.method_not_allowed()
    assert error.details == {"allow": ["GET", "HEAD", "OPTIONS"]}
    assert error.headers == {"Allow": "GET, HEAD, OPTIONS"}


def test_what_can_be_tried_again_says_when():
    for error in (errors.rate_limited(7), errors.quota_exceeded(7), errors.unavailable(7)):
        assert error.headers["Retry-After"] == "7"


def test_a_forbidden_metro_lists_those_of_the_key_in_order():
    assert errors.forbidden(metros={"seattle", "new-york"}).details == {"metros": ["new-york", "seattle"]}


def test_details_of_a_bad_request_leave_out_what_is_none():
    error = bad_request(param="age", reason="out_of_range", message="age is 200.", min=0, max=None)
    assert error.details == {"param": "age", "reason": "out_of_range", "min": 0}


def test_a_reason_outside_the_list_is_a_mistake_of_ours():
    with pytest.raises(ValueError, match="'bad_luck' is no reason"):
        bad_request(reason="bad_luck", message="No.")
