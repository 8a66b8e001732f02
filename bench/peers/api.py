"""The peer: FastAPI on asyncpg. `uvicorn bench.peers.api:make_app --factory`; DSN and keys in the environment.

Bodies are joined from documents as PostgreSQL holds them. A conditional request is answered before routing, from the
data's version and the request alone.
"""

import hashlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any
from uuid import UUID

import asyncpg
from fastapi import FastAPI, HTTPException, Query, Request, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bench.near import NEARBY, RADIUS_M, write_cube
from bench.peers.statements import Filters, Listing, compile_calendar, compile_facets, compile_page, compile_sync
from outings.answers.snapshot.distance import find_chord, make_unit_vector

_KINDS: dict[str, int] = {"events": 0, "classes": 1, "camps": 2, "places": 3}
_DETAIL = "SELECT body FROM documents WHERE id = $1 AND type = $2 AND status = 0"
_CHORD = find_chord(RADIUS_M)
# Of a worker, on two cores: more would only wait for each other.
_CONNECTIONS = 6


class Connection(asyncpg.Connection):  # type: ignore[misc] # asyncpg states no types
    """A connection without session settings, which need no reset: that saves a round trip for each request."""

    def get_reset_query(self) -> str:
        return ""


def make_app() -> ASGIApp:
    dsn, keys = os.environ["BENCH_DSN"], frozenset(os.environ["BENCH_KEYS"].encode().split(b","))

    @asynccontextmanager
    async def connect(app: FastAPI) -> AsyncIterator[None]:
        async with asyncpg.create_pool(
            dsn,
            connection_class=Connection,
            min_size=_CONNECTIONS,
            max_size=_CONNECTIONS,
            statement_cache_size=1000,
            max_cached_statement_lifetime=0,
        ) as pool:
            app.state.pool = pool
            rows = await pool.fetch("SELECT value, bit FROM buckets WHERE dimension = 'category'")
            app.state.categories = dict(rows)
            yield

    app = FastAPI(lifespan=connect, openapi_url=None)
    for collection, kind in _KINDS.items():
        app.get(f"/v1/{collection}/{{row_id}}", response_class=Response)(make_detail(kind))
        app.get(f"/v1/{{metro}}/{collection}", response_class=Response)(make_list(kind))
    app.get("/v1/{metro}/nearby", response_class=Response)(show_nearby)
    app.get("/v1/{metro}/events/calendar", response_class=Response)(show_calendar)
    return Guard(app, keys=keys, version=dsn)


def make_detail(kind: int) -> Callable[..., Awaitable[Response]]:
    async def show_detail(request: Request, row_id: UUID) -> Response:
        body = await request.app.state.pool.fetchval(_DETAIL, row_id, kind)
        if body is None:
            raise HTTPException(404)
        return _answer(b'{"data":' + body + b"}")

    return show_detail


def make_list(kind: int) -> Callable[..., Awaitable[Response]]:
    async def show_list(request: Request, listing: Annotated[Listing, Query()]) -> Response:
        state = request.app.state
        facets = b""
        if listing.facets is not None:
            text, values = compile_facets(listing, categories=state.categories)
            facets = b',"facets":' + await state.pool.fetchval(text, *values)
        rows: list[Any] = []
        if listing.limit:
            if listing.changed_since is not None:
                text, values = compile_sync(listing, kind=kind)
            else:
                text, values = compile_page(listing, categories=state.categories)
            rows = await state.pool.fetch(text, *values)
        return _answer_list(listing, rows, facets=facets)

    return show_list


def _answer_list(listing: Listing, rows: list[Any], *, facets: bytes) -> Response:
    """`rows`: (body, key, id, …), one more than the page holds where there is a next one."""
    shown, has_more = rows[: listing.limit], len(rows) > listing.limit
    cursor = f'"{shown[-1][1]}_{shown[-1][2]}"' if has_more else "null"
    data = b",".join([_expand(row) for row in shown] if listing.expand else [row[0] for row in shown])
    more = "true" if has_more else "false"
    meta = f'"limit":{listing.limit},"count":{len(shown)},"has_more":{more},"next_cursor":{cursor}'
    return _answer(b'{"data":[' + data + b"]" + facets + b',"meta":{' + meta.encode() + b"}}")


def _expand(row: Any) -> bytes:
    body: bytes = row[0]
    return body[:-1] + b',"expanded":{"organization":' + (row[3] or b"null") + b"}}"


async def show_calendar(request: Request, filters: Annotated[Filters, Query()]) -> Response:
    text, values = compile_calendar(filters, categories=request.app.state.categories)
    return _answer(b'{"data":' + await request.app.state.pool.fetchval(text, *values) + b"}")


async def show_nearby(request: Request, lat: float, lng: float, limit: int = 50) -> Response:
    """The rows are ready as texts, but for the distance."""
    rows = await request.app.state.pool.fetch(NEARBY, write_cube(make_unit_vector(lat, lng)), _CHORD)
    items = [item.replace('"distance_m":0', f'"distance_m":{metres:.0f}', 1) for item, metres in rows[:limit]]
    more = "true" if len(rows) > limit else "false"
    meta = f'"limit":{limit},"count":{len(items)},"has_more":{more}'
    return _answer(f'{{"data":[{",".join(items)}],"meta":{{{meta}}}}}'.encode())


def _answer(body: bytes) -> Response:
    return Response(body, media_type="application/json")


class Guard:
    """Keys, ETags and 304s: raw ASGI, since a middleware of the framework would cost more than the check."""

    def __init__(self, app: ASGIApp, *, keys: frozenset[bytes], version: str) -> None:
        self._app = app
        self._keys = keys
        self._version = version.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        key = condition = b""
        for name, value in scope["headers"]:
            if name == b"x-api-key":
                key = value
            elif name == b"if-none-match":
                condition = value
        if key not in self._keys:
            await send({"type": "http.response.start", "status": 401, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body"})
            return
        target = scope["raw_path"] + b"?" + scope["query_string"]
        etag = b'W/"' + hashlib.blake2b(target, key=self._version[:64], digest_size=16).hexdigest().encode() + b'"'
        headers = [(b"etag", etag), (b"cache-control", b"private, max-age=60")]
        if condition == etag:
            await send({"type": "http.response.start", "status": 304, "headers": headers})
            await send({"type": "http.response.body"})
            return

        async def send_tagged(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                message["headers"] = [*message["headers"], *headers]
            await send(message)

        await self._app(scope, receive, send_tagged)
