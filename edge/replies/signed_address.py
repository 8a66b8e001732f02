"""The answer that tells the signed address of a calendar."""

import hashlib
from dataclasses import replace

import msgspec
from msgspec import Struct

from edge.calendar_addresses import CalendarAddresses
from edge.principal import Principal
from edge.replies.content_coding import IDENTITY
from edge.replies.planner import ResolvedRequest
from edge.replies.responses import Body, Lines, make_body, make_head
from outings.answers.context import AnswerContext
from outings.answers.routes import make_plan
from outings.contract.envelope import encode_detail
from outings.contract.errors import not_enabled
from outings.contract.resources.calendar import CalendarAddress
from outings.contract.route import Match
from outings.contract.routes import ROUTES

(_FILE,) = (route for route in ROUTES if route.takes_signature)


class AddressAnswer(Struct, frozen=True, kw_only=True):
    etag: bytes
    head: Lines
    body: Body


def answer_address(resolved: ResolvedRequest, *, addresses: CalendarAddresses, principal: Principal) -> AddressAnswer:
    """Refused for whatever the calendar itself would be refused for now. The address has the metro's slug where an
    alias was sent, and the filters in their canonical form."""
    query, served = resolved.query, resolved.served
    if not addresses.exist:
        raise not_enabled(query.match.route.path)
    calendar = replace(query, match=Match(route=_FILE, values=query.match.values))
    make_plan(calendar, AnswerContext(release=served.release, dates=resolved.dates, entitlement=principal.entitlement))
    address = CalendarAddress(url=addresses.sign(calendar.text, key_id=principal.key.id))
    data = b"".join(encode_detail(msgspec.json.encode(address), notices=query.notices))
    etag = b'W/"%b"' % hashlib.sha256(data).hexdigest()[:32].encode()
    head = make_head(etag=etag, max_age=query.match.route.max_age, release=served.header)
    return AddressAnswer(etag=etag, head=head, body=make_body(data, IDENTITY))
