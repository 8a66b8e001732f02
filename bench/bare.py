"""The ceiling: a Starlette application that sends given bytes and headers, and does nothing else.

`python -m bench.bare ANSWERS PORT`; the answers are JSON, target → {headers, body in latin-1}.
"""

import sys
from pathlib import Path

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


def make_app(answers: Path) -> Starlette:
    ready = {
        target: (dict(value["headers"]), value["body"].encode("latin-1"))
        for target, value in msgspec.json.decode(answers.read_bytes()).items()
    }

    first = {target.partition("?")[0]: answer for target, answer in reversed(ready.items()) if "?" in target}

    async def send_answer(request: Request) -> Response:
        path, query = request.scope["path"], request.scope["query_string"].decode()
        headers, body = ready.get(f"{path}?{query}" if query else path) or first[path]
        return Response(body, headers=headers)

    return Starlette(routes=[Route("/{path:path}", send_answer)])


def main() -> None:
    uvicorn.run(
        make_app(Path(sys.argv[1])),
        port=int(sys.argv[2]),
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
    )


if __name__ == "__main__":
    main()
