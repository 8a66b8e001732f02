"""A port for a server that has to be told its port, and may be started on it again."""

import random
import socket

# Below those that a system gives out by itself: no connection and no server with a port of the system's choice takes
# it between being found and being used.
_FIRST, _LAST = 15_000, 32_000


def find_free_port() -> int:
    # Other processes of the same run draw too, each by itself: whatever seed a test sets is not used here.
    chance = random.SystemRandom()
    while True:
        port = chance.randint(_FIRST, _LAST)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
