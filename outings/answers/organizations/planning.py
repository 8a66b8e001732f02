"""One organization by id, as its own answer."""

from outings.answers.context import AnswerContext
from outings.answers.documents.fields import choose_fields
from outings.answers.organizations.copies import Copy, encode_organization, find_copies
from outings.answers.plan import AnswerPlan, make_tag
from outings.contract.envelope import encode_detail
from outings.contract.query import Query


def plan_organization(query: Query, about: AnswerContext) -> AnswerPlan:
    assert query.id is not None
    copies = find_copies(query.id, about=about, include_archived=bool(query.get("include_archived")))
    read = [(copy.snapshot.hash, about.dates[copy.snapshot.metro.slug]) for copy in copies]
    tag = make_tag("organization", read, query.text, about.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_organization(query, copies, about=about))


def answer_organization(query: Query, copies: list[Copy], *, about: AnswerContext) -> list[bytes]:
    document = encode_organization(copies, about=about)
    return encode_detail(choose_fields(query)(document), notices=query.notices)
