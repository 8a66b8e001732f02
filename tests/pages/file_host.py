"""A plain file server."""

import http.server


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base class names it
        """Requests are no news."""
