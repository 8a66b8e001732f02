"""Serve an assistant's tools by the Model Context Protocol, with its official SDK."""

import socket
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from command.mcp import drafting
from command.mcp.assistant import ApiError, Assistants
from command.mcp.drafting import Drafting
from outings import __version__
from outings.failures import OperatorError

_INSTRUCTIONS = """\
What families can do in a city: events, classes, camps and places. Each answer begins with the request behind it. A
date that you do not send is today in the metro. What is not stated is unknown: no price does not mean free. Give people
the link of what you suggest.\
"""


def make_server(assistants: Assistants | None, *, key: str, drafts: Drafting | None = None) -> Server[Any]:
    """Return a server of the tools: those of an API, and one that drafts feeds, as far as they are given. A caller's
    own key, in the header `X-API-Key`, is used instead of `key`."""

    def choose_key(context: ServerRequestContext[Any]) -> str:
        own: str | None = None if context.request is None else context.request.headers.get("x-api-key")
        if not (own or key):
            raise ApiError("no key: send one in the header X-API-Key")
        return own or key

    async def list_tools(
        context: ServerRequestContext[Any], _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        own = [] if drafts is None else [(drafting.NAME, drafting.USE, drafting.SCHEMA)]
        if assistants is not None:
            try:
                assistant = await run_sync(assistants.find, choose_key(context))
            except ApiError as error:
                raise MCPError(types.INTERNAL_ERROR, str(error)) from None
            own += [(tool.name, tool.description, tool.schema) for tool in assistant.tools.values()]
        reads = types.ToolAnnotations(read_only_hint=True)
        return types.ListToolsResult(
            tools=[
                types.Tool(name=name, description=use, input_schema={**schema}, annotations=reads)
                for name, use, schema in own
            ]
        )

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            if drafts is not None and params.name == drafting.NAME:
                text = await run_sync(drafts.call, params.arguments or {})
            elif assistants is None:
                raise ApiError(f"there is no tool {params.name!r}: expected {drafting.NAME}")
            else:
                assistant = await run_sync(assistants.find, choose_key(context))
                text = await run_sync(assistant.call, params.name, params.arguments or {})
        except OperatorError as error:
            return types.CallToolResult(content=[types.TextContent(type="text", text=str(error))], is_error=True)
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    return Server(
        "outings",
        version=__version__,
        instructions=_INSTRUCTIONS,
        get_tool_input_schema=lambda _: None,  # the API checks arguments, and says in words what is wrong
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve_stdio(assistants: Assistants | None, *, key: str, drafts: Drafting | None) -> None:
    """Serve on standard input and output until the input ends."""
    server = make_server(assistants, key=key, drafts=drafts)

    async def serve() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serve)


def serve_http(assistants: Assistants, *, key: str, listening: socket.socket) -> None:
    """Serve at `/mcp` until stopped. Requests are independent of each other, so several processes can share them."""
    host = listening.getsockname()[0]
    app = make_server(assistants, key=key).streamable_http_app(stateless_http=True, json_response=True, host=host)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
