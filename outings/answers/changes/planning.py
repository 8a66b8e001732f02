"""The plans of the feed of changes, and of the versions of one listing."""

from outings.answers.changes.feed import answer_changes, check_changes, list_read, read_cursor
from outings.answers.changes.versions import answer_versions, find_homes, read_position
from outings.answers.context import AnswerContext
from outings.answers.cost import LOOK_UP, UNKNOWN
from outings.answers.plan import AnswerPlan, make_tag
from outings.contract.query import Query
from outings.release.log import name_log


def plan_changes(query: Query, about: AnswerContext) -> AnswerPlan:
    check_changes(query, about)
    log = about.release.history.log
    read = [snapshot.hash for snapshot in list_read(query, about)]
    is_new = read_cursor(query) < log.latest_version_id
    return AnswerPlan(
        make_tag("changes", name_log(log), read, query.text, about.entitlement.digest),
        lambda: answer_changes(query, about),
        cost=UNKNOWN if is_new else LOOK_UP,
        reads_store=is_new,
    )


def plan_versions(query: Query, about: AnswerContext) -> AnswerPlan:
    homes = find_homes(query, about)
    read = [home.snapshot.hash for home in homes]
    named = name_log(about.release.history.log)
    return AnswerPlan(
        make_tag("versions", named, read, query.text, read_position(query, homes), about.entitlement.digest),
        lambda: answer_versions(query, homes, about=about),
        reads_store=True,
    )
