"""The geocoding service during one build: requests addresses one by one, and stops while the service is down."""

from msgspec.structs import replace

from outings.configuration.tables import GeocoderTable
from outings.contract.resources.directories import Bounds
from outings.retry_policy import RetryPolicy
from pipeline.resolve.addresses import AddressBook, AddressPoints, AddressSearch, list_questions, settle_addresses

_POLICY = RetryPolicy(connect=5.0, silence=10.0, whole=15.0, attempts=2, pause=0.5, rest=300.0)
# After so many failures in a row the service is considered down.
_MOST_FAILURES = 3


class AddressService:
    """A geocoding service with a limit of requests for all metros of a build. `failure`: why requests stopped."""

    def __init__(self, table: GeocoderTable, *, is_open: bool = True) -> None:
        """Set the limit. With `is_open` False no request is sent, and all addresses wait for a later build."""
        self._table = table
        self._left = table.max_requests if is_open else 0
        self._books: dict[str, AddressBook] = {}
        self._unasked = 0
        self._failed = 0
        self._failure: str | None = None

    def settle(self, search: AddressSearch, *, metro: str, bounds: Bounds) -> AddressPoints:
        """Return the points of a metro's addresses, and request those that its own records do not give."""
        if self._table.provider in ("none", "local"):
            return settle_addresses(search, search.book, waiting=())
        from outings.remote.fetcher import RemoteError
        from outings.remote.geocoding import SERVICES, open_fetcher

        provider = self._table.provider
        service, fetcher = SERVICES[provider], open_fetcher(self._table.url, _POLICY)
        # If the metro was built before in this build, use the answers of then.
        search = replace(search, book=self._books.get(metro, search.book))
        points, unknown = {**search.book.points}, {**search.book.unknown}
        waiting = []
        for key, text in list_questions(search, provider=provider).items():
            if not self._left or self._failed >= _MOST_FAILURES:
                waiting.append(key)
                continue
            self._left -= 1
            try:
                point = service.find_point(text, bounds=bounds, fetcher=fetcher)
            except RemoteError as error:
                self._failed = _MOST_FAILURES if error.rest else self._failed + 1
                self._failure = str(error)
                waiting.append(key)
                continue
            self._failed = 0
            if point is None:
                unknown[key] = provider
            else:
                points[key] = (point.lat, point.lng)
        fetcher.close()
        self._unasked += len(waiting)
        book = self._books[metro] = AddressBook(points=points, unknown=unknown)
        return settle_addresses(search, book, waiting=waiting)

    def explain(self) -> str | None:
        """Return a text why some addresses were not requested, or None if all were."""
        if not self._unasked:
            return None
        why = self._failure or f"max_requests is {self._table.max_requests}"
        some = "1 address is" if self._unasked == 1 else f"{self._unasked:,} addresses are"
        return f"geocoder {self._table.provider}: {why}: {some} not asked for; the next build asks"
