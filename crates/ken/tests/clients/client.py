"""Asks an MCP server everything it offers, with the official Python package `mcp`.

    client.py MODE URL
    client.py MODE COMMAND [ARGUMENT…]

MODE is `legacy` (a handshake) or `auto` (2026-07-28 where the server knows it). A URL is asked over
streamable HTTP, with the token in MCP_TOKEN if there is one. What came back is printed as JSON;
the package checks results against their schemas.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


def server(words):
    if words[0].startswith(("http://", "https://")):
        token = os.environ.get("MCP_TOKEN")
        if token is None:
            return words[0]
        import httpx2

        headers = {"Authorization": f"Bearer {token}"}
        return streamable_http_client(words[0], http_client=httpx2.AsyncClient(headers=headers))
    return StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ))


async def ask(client):
    calls = json.loads((Path(__file__).parent / "calls.json").read_text())
    seen = {
        "version": client.protocol_version,
        "server": client.server_info.name,
        "instructions": client.instructions,
        "tools": [tool.name for tool in (await client.list_tools()).tools],
        "prompts": [prompt.name for prompt in (await client.list_prompts()).prompts],
        "calls": [],
    }
    for name, arguments in calls:
        result = await client.call_tool(name, arguments)
        seen["calls"].append(
            {
                "tool": name,
                "error": bool(result.is_error),
                "structured": result.structured_content,
                "content": [block.type for block in result.content],
            }
        )
    templates = (await client.list_resource_templates()).resource_templates
    seen["template"] = templates[0].uri_template
    resource = (await client.list_resources()).resources[0]
    seen["uri"] = str(resource.uri)
    seen["text"] = (await client.read_resource(seen["uri"])).contents[0].text
    try:
        await client.read_resource(seen["uri"] + ".gone")
    except MCPError as error:
        seen["gone"] = error.error.code
    prompt = await client.get_prompt("answer_from_notes", {"question": "Who?"})
    seen["prompt"] = prompt.messages[0].content.text
    return seen


async def main(mode, words):
    async with Client(server(words), mode=mode) as client:
        print(json.dumps(await ask(client)))


asyncio.run(main(sys.argv[1], sys.argv[2:]))
