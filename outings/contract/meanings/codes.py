"""What each code of a failure, reason of a `bad_request` and code of a notice means, and what to do about it."""

from collections.abc import Mapping

CODES: Mapping[str, str] = {
    "bad_request": "A parameter is wrong, or two contradict each other: `details.reason` says how, `details.param` "
    "which one. Change the request.",
    "unauthorized": "The key is missing, unknown, revoked or expired. Send a valid one in `X-API-Key`.",
    "forbidden": "The key may not read this metro or type. `details.metros` has the metros that it may read.",
    "include_not_permitted": "The key has no such add-on. `include_mode=lenient` answers without it.",
    "feature_not_in_plan": "The key's plan has no such feature. No route of today answers so.",
    "not_found": "Nothing of that name may be shown: it never was, is archived, or is of a metro that there is not.",
    "method_not_allowed": "The API is read-only. Send `GET`, `HEAD` or `OPTIONS`.",
    "rate_limited": "Too many requests in this minute. Wait as long as `Retry-After` says.",
    "quota_exceeded": "The month's allowance is spent. `Retry-After` is the time to the next month.",
    "internal": "The server failed. Try once more, then report `request_id`.",
    "not_implemented": "This deployment has no such route or parameter. Trying again will not help.",
    "unavailable": "Not for a moment. Try again after `Retry-After`.",
}

REASONS: Mapping[str, str] = {
    "unknown_parameter": "There is no parameter of that name. `did_you_mean` has the nearest.",
    "parameter_not_supported": "The parameter exists, but this route does not take it.",
    "missing_parameter": "The route, or another parameter that was sent, needs this one.",
    "invalid_value": "The value has another form, or is none of `allowed`.",
    "out_of_range": "The value is below `min` or above `max`, or there are too many values.",
    "contradictory": "Two parameters, or one and the path, exclude each other, or a window ends before it starts.",
    "window_too_long": "`to` lies too many days after `from`.",
    "nothing_searchable": "No word of `q` says what to look for.",
    "metro_required": "The name is in several metros. Send one of `details.metros` as `metro`.",
    "include_not_supported": "This route has no such add-on.",
    "cursor_malformed": "The cursor was changed, or is none.",
    "cursor_mismatch": "The cursor is of another request. Send it with the request that gave it.",
    "cursor_expired": "The walk can't go on. Begin it anew without a cursor.",
    "cursor_ahead": "The cursor is greater than every version that there is.",
    "release_gone": "The release is not kept, or not any more.",
}

NOTICES: Mapping[str, str] = {
    "include_not_permitted": "The key has not the add-on, and `include_mode=lenient` was sent: it was left out.",
    "related_unavailable": "A list of `related` has no cards.",
    "forecast_unavailable": "No forecast is known for some of the items.",
    "source_unavailable": "Of some of the items no source is known.",
    "parameter_deprecated": "A parameter has a new name, which `details.replaced_by` says. It still works.",
    "parameter_ignored": "A parameter, or a path of `fields`, changes nothing here.",
    "facets_incomplete": "A count is cut short.",
    "point_outside_metro": "The point lies outside of the metro's box.",
    "rows_without_coordinates": "Rows have no coordinates: they are left out, or are placed by their postal code.",
}
