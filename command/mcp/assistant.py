"""Call the API for an assistant with a key, as any other client does."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Lock
from typing import Any

import httpx2
import orjson
from cachetools import TTLCache

from command.mcp.answers import Item, flatten, write_detail, write_error, write_items
from command.mcp.tools import Schema, make_tools
from command.mirror.client import Connection, HttpResponse
from outings.contract.vocabulary import COLLECTIONS
from outings.failures import OperatorError

# Keys whose tools are cached, and for how many seconds: the API may get another metro or parameter.
_KEYS = 1000
_FRESH = 3600.0
# Characters of a request that an error repeats.
_SHOWN = 1000


class ApiError(OperatorError):
    """An error that the API answered, as text for an assistant."""


class Assistants:
    """The assistants of an API at `url`, by key. Thread-safe."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._by_key: TTLCache[str, Assistant] = TTLCache(_KEYS, _FRESH)
        self._lock = Lock()

    def find(self, key: str) -> "Assistant":
        """Return the assistant of a key. Raises ApiError if the key is refused, or nobody answers."""
        with self._lock:
            assistant = self._by_key.get(key)
        if assistant is None:
            assistant = Assistant(self._url, key=key)
            with self._lock:
                self._by_key[key] = assistant
        return assistant


class Assistant:
    """The tools of one key. Thread-safe: each call has a connection of its own."""

    def __init__(self, url: str, *, key: str) -> None:
        self._url = url
        self._key = key
        with self._connect() as api:
            document = api.get("/openapi.json")
            slugs = [metro["slug"] for metro in api.get("/v1/metros")["data"] if metro["accessible"]]
            tools = make_tools(document, metros=slugs, has_where=_may_send_where(api, document, slugs))
        self.tools = {tool.name: tool for tool in tools}

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """Call a tool and return its answer as text, below the API request that gave it. Raises ApiError."""
        tool = self.tools.get(name)
        if tool is None:
            raise ApiError(f"there is no tool {name!r}: expected one of {', '.join(self.tools)}")
        try:
            request = tool.write_request(arguments)
        except ValueError as error:
            raise ApiError(str(error)) from None
        with self._connect() as api:
            body = api.get(request)
            if name == "search":
                body["data"] = _add_facts(api, body["data"], metro=request.split("/")[2])
        write = write_detail if name == "get_listing" else write_items
        return f"GET {self._url}{request}\n{write(body)}"

    @contextmanager
    def _connect(self) -> Iterator["Api"]:
        with closing(Connection(self._url, key=self._key)) as connection:
            yield Api(connection, url=self._url)


class Api:
    """A connection to the API that parses answers and raises errors as text."""

    def __init__(self, connection: Connection, *, url: str) -> None:
        self._connection = connection
        self._url = url

    def get(self, target: str) -> Any:
        """Request a path and return the parsed body. Raises ApiError for any status but 200."""
        response = self.fetch(target)
        try:
            body = flatten(orjson.loads(response.data))
        except orjson.JSONDecodeError:
            body = None
        if response.status == 200 and isinstance(body, dict):
            return body
        message = write_error(response.status, body, retry_after=response.headers.get("retry-after"))
        raise ApiError(f"GET {self._url}{target[:_SHOWN]}\n{message}")

    def fetch(self, target: str) -> HttpResponse:
        try:
            return self._connection(target)
        except (OSError, httpx2.HTTPError) as error:
            raise ApiError(f"{self._url} does not answer: {str(error) or type(error).__name__}") from error
        except httpx2.InvalidURL as error:
            raise ApiError(f"no request can be made of these arguments: {error}") from error


def _add_facts(api: Api, results: list[Item], *, metro: str) -> list[Item]:
    """Complete search results with the members that lists have and a search leaves out, such as price and place."""
    ids: dict[str, list[str]] = defaultdict(list)
    for result in results:
        ids[COLLECTIONS[result["type"]]].append(result["id"])
    facts: dict[str, Item] = {}
    for collection, matches in ids.items():
        target = f"/v1/{metro}/{collection}?audience=all&min_confidence=0&ids={','.join(matches)}"
        facts |= {item["id"]: item for item in api.get(target)["data"]}
    return [
        {
            "links": {"self": f"/v1/{COLLECTIONS[result['type']]}/{result['id']}"},
            **facts.get(result["id"], {}),
            **{name: value for name, value in result.items() if value is not None},
        }
        for result in results
    ]


def _may_send_where(api: Api, document: Schema, slugs: list[str]) -> bool:
    """Return True if the API has the parameter `where` and does not refuse it to this key."""
    if "where" not in document["components"]["parameters"] or not slugs:
        return False
    response = api.fetch(f"/v1/{slugs[0]}/events?limit=1&fields=id&where=name%20IS%20NOT%20NULL")
    return response.status != 403
