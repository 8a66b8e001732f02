"""Reports retries to the operator. stamina by itself prints them on standard output, and does not name the server."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from stamina.instrumentation import RetryDetails, get_on_retry_hooks, set_on_retry_hooks


@contextmanager
def report_retries(tell: Callable[[str], None]) -> Iterator[None]:
    def tell_retry(details: RetryDetails) -> None:
        where = getattr(details.caused_by, "address", None)
        text = f"{where}: {details.caused_by}" if where else str(details.caused_by)
        tell(f"{text}; asked again in {details.wait_for:.1f} s")

    before = get_on_retry_hooks()
    set_on_retry_hooks([tell_retry])
    try:
        yield
    finally:
        set_on_retry_hooks(before)
