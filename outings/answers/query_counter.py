"""How often an evaluator was asked in this process: what tells that an answer cost no query."""

import threading


class QueryCounter:
    """From any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.total = 0

    def add(self) -> None:
        with self._lock:
            self.total += 1


# Of the process, as are the opened snapshots.
QUERIES = QueryCounter()
