"""`meta` of a search: how its query was read, the filters in effect, and the count of results at each level."""

from collections.abc import Mapping

from outings.answers.plan import format_stamp, make_cursor
from outings.answers.search.filters import SearchFilters, find_override
from outings.answers.search.request import RANKING, Search
from outings.answers.search.word_matches import Numbers
from outings.contract.resources.meta import (
    Interpreted,
    InterpretedAge,
    InterpretedFilter,
    MatchCounts,
    SearchMeta,
    SearchWindow,
    TypedFilters,
)
from outings.contract.values import Value, echo_value
from outings.contract.vocabulary import COLLECTIONS

# Above it counts say only that there are more.
MOST_COUNTED = 1_000


def make_meta(
    search: Search, *, counts: Numbers, levels: tuple[str, ...], total: int, count: int, end: int | None
) -> SearchMeta:
    """Make `meta`. `counts`: matches at each level, shown or not; `levels`: the levels shown; `total`: results on all
    pages; `count`: results on this page; `end`: the offset of the next page, or None."""
    query, requested, parsed = search.query, search.filters, search.parsed
    age, counted = parsed.age, counts.tolist()
    return SearchMeta(
        query=query.get_as("q", str) or "",
        applied_filters=_show_filters(requested),
        defaults_applied=requested.defaults,
        types=tuple(COLLECTIONS[collection] for collection in requested.collections),
        ranking=RANKING,
        ignored_words=parsed.ignored,
        interpreted=Interpreted(
            age=None
            if age is None
            else InterpretedAge(min=age.min, max=age.max, from_=age.text, overridden_by=find_override(query)),
            filters=tuple(
                InterpretedFilter(
                    parameters={name: echo_value(value) for name, value in reading.values.items()},
                    from_=reading.text,
                    overridden_by=reading.overridden_by,
                )
                for reading in search.readings
            ),
            beginning=parsed.beginning,
        ),
        match=levels,
        relaxed=search.relaxed,
        match_counts=MatchCounts(*[min(value, MOST_COUNTED) for value in counted]),
        sort=str(query.get("sort")),
        limit=search.limit,
        count=count,
        count_estimate=min(total, MOST_COUNTED),
        capped=max(total, *counted) > MOST_COUNTED,
        has_more=end is not None,
        next_cursor=None
        if end is None
        else make_cursor(search.query, (RANKING, end), snapshot=search.snapshot, today=search.today),
        generated_at=format_stamp(search.snapshot),
    )


def _show_filters(requested: SearchFilters) -> TypedFilters:
    in_collections = [collection.filters.values for collection in requested.collections.values()]
    of_all = {name: values[name] for values in in_collections for name in ("radius_m", "audience") if name in values}
    in_effect: Mapping[str, Value] = {"audience": ("not_adults",), **requested.given, **of_all}
    filters = {name: echo_value(value) for name, value in in_effect.items()}
    return {**filters, "by_type": _show_types(requested)}


def _show_types(requested: SearchFilters) -> Mapping[str, SearchWindow]:
    return {
        COLLECTIONS[name]: SearchWindow(
            from_=collection.filters.get_date("from"),
            to=collection.filters.get_date("to"),
            min_confidence=collection.filters.min_confidence,
        )
        for name, collection in requested.collections.items()
    }
