"""Generate the configuration of nginx in front of one or more servers."""

from collections.abc import Iterator, Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from msgspec import Struct
from msgspec.structs import asdict

from edge.request_headers import MOST_HEADER_BYTES
from edge.response_headers import make_refusal
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
        files: the folder of a static tree, whose files are sent without asking a server.
        certificate, certificate_key: paths. Without them there is no TLS, and `plain` is not used.
    """

    edges: tuple[str, ...]
    name: str
    listen: str
    plain: str = "80"
    certificate: str | None = None
    certificate_key: str | None = None
    log_folder: str = "/var/log/nginx"
    files: str | None = None


def render_nginx(front: NginxFront) -> str:
    """Return the configuration file."""
    # The command has checked the operator's values, and the filter `quote` escapes our own texts.
    environment = Environment(  # noqa: S701
        loader=PackageLoader("edge.serving", "."), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {"quote": _quote}
    return environment.get_template("nginx.conf.jinja").render(
        **asdict(front),
        header_bytes=MOST_HEADER_BYTES,
        # The paths without a key that nginx hides from the public.
        probes=[route.path for route in ROUTES if route.group == "service" and route.name != "openapi"],
        errors=list(_list_errors()),
        missing=_make_error(errors.not_found("There is no such route."), ()),
    )  # fmt: skip


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
