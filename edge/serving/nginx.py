"""Generate the configuration of nginx in front of one or more servers."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from msgspec import Struct
from msgspec.structs import asdict

from edge.bodies import CODINGS
from edge.front_protocol import CACHE_CONTROL, KINDS, LEAST_POINTER_BYTES, render_front
from edge.limits.limiter import FIELDS
from edge.request_headers import MOST_HEADER_BYTES
from edge.response_headers import make_head, make_refusal, split_lines
from outings.contract import errors
from outings.contract.errors import ApiError
from outings.contract.routes import ROUTES

# nginx's variable with the id of the request.
_REQUEST_ID = b"$request_id"
# nginx writes these itself.
_OWN_HEADERS = ("content-type", "content-length")
# nginx's statuses for a request that it can't take (494: headers too long) and for servers that it can't reach.
_UNREADABLE, _UNREACHABLE, _REFUSED_METHODS = (400, 413, 414, 494), (502, 504), (405,)


class NginxFront(Struct, frozen=True, kw_only=True):
    """Settings for nginx in front of servers.

    Attributes:
        edges: the servers as `HOST:PORT` or `unix:PATH`.
        listen, plain: the addresses for TLS and without it, as nginx writes them.
        certificate, certificate_key: paths. Without them there is no TLS, and `plain` is not used.
        secret: the servers' secret of fronts. With it, nginx sends bodies of `least` bytes or more itself.
        cache: the folder in which nginx caches these bodies.
    """

    edges: tuple[str, ...]
    name: str
    listen: str
    plain: str = "80"
    certificate: str | None = None
    certificate_key: str | None = None
    log_folder: str = "/var/log/nginx"
    secret: str | None = None
    cache: str = "/var/cache/outings"
    cache_size: str = "4g"
    least: int = LEAST_POINTER_BYTES


def render_nginx(front: NginxFront) -> str:
    """Return the configuration file."""
    # The command has checked the operator's values, and the filter `quote` escapes our own texts.
    environment = Environment(  # noqa: S701
        loader=PackageLoader("edge.serving", "."), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {"quote": _quote, "escape_pattern": re.escape}
    return environment.get_template("nginx.conf.jinja").render(
        **asdict(front),
        said=render_front(front.secret or "", follows=KINDS, least=front.least, pointer="accel"),
        codings=[coding.decode() for coding in CODINGS] + ["identity"],
        relayed=list(list_relayed()),
        header_bytes=MOST_HEADER_BYTES,
        # The paths without a key that nginx hides from the public.
        probes=[route.path for route in ROUTES if not route.needs_key and route.name != "openapi"],
        errors=list(_list_errors()),
        missing=_make_error(errors.not_found("There is no such route."), ()),
    )  # fmt: skip


def list_relayed() -> Iterator[Mapping[str, str]]:
    """Yield each header of a success that is not about its body. `source`: its name in nginx's variables for the
    server's response; `variable`: the variable that keeps its value while nginx fetches the body."""
    head = make_head(etag=b"etag", max_age=None, release=b"release")
    of_limits = [field.lower().encode() for field in FIELDS]
    for name in (*(name for name, _ in split_lines(head)), *of_limits, b"x-request-id", b"x-trace-id"):
        source = CACHE_CONTROL if name == b"cache-control" else name
        written = name.decode().replace("-", "_")
        yield {
            "name": name.decode(), "source": source.decode().replace("-", "_"), "variable": f"outings_{written}"
        }  # fmt: skip


def _list_errors() -> Iterator[Mapping[str, Any]]:
    """Yield the errors that nginx answers by itself, each with the nginx statuses that it replaces."""
    unreadable = errors.bad_request(
        reason="out_of_range",
        message=f"The request is not valid HTTP, or its head is longer than {MOST_HEADER_BYTES} bytes.",
        max=MOST_HEADER_BYTES,
    )
    yield _make_error(unreadable, _UNREADABLE)
    yield _make_error(errors.method_not_allowed(), _REFUSED_METHODS)
    yield _make_error(errors.unavailable(), _UNREACHABLE)


def _make_error(error: ApiError, replaced: tuple[int, ...]) -> Mapping[str, Any]:
    headers, body = make_refusal(error, _REQUEST_ID)
    shown = ((name.decode(), value.decode()) for name, value in headers)
    own = [(name, value) for name, value in shown if name not in _OWN_HEADERS]
    return {"code": error.code, "status": error.status, "replaced": replaced, "headers": own, "body": body.decode()}


def _quote(text: str) -> str:
    """Quote a text for nginx's configuration. Variables in it, such as `$request_id`, are still expanded."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
