"""Servers of tests on loopback: each runs in a thread beside its test, and is gone when that ends."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import HTTPServer


@contextmanager
def run_server(server: HTTPServer) -> Iterator[str]:
    """Run a server, and return its http address."""
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
