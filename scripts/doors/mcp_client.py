"""The Python client of the Model Context Protocol against sites/exemplo: over HTTP, and over the bridge of `djo-host mcp`."""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters

url, host = sys.argv[1:]


async def converse(server):
    async with Client(server) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["get_posts_by_id"].output_schema and tools["get_posts_by_id"].annotations.read_only_hint, tools
        # The client checks results against their schemas.
        for arguments in ({"id": "1"}, {"id": "1", "campos": "id,titulo"}):
            result = await client.call_tool("get_posts_by_id", arguments)
            assert not result.is_error and result.structured_content["id"] == 1, result
            assert json.loads(result.content[0].text) == result.structured_content, result
        posts = await client.call_tool("get_posts", {})
        assert not posts.is_error and posts.structured_content, posts
        refused = await client.call_tool("get_posts_by_id", {"numero": 1})
        assert refused.is_error and "INVALID_ARGUMENTS" in refused.content[0].text, refused
        resources = (await client.list_resources()).resources
        assert resources, resources
        read = await client.read_resource(str(resources[0].uri))
        assert read.contents[0].text, read
        templates = (await client.list_resource_templates()).resource_templates
        assert any(template.uri_template.endswith("{id}") for template in templates), templates


asyncio.run(converse(f"{url}/mcp"))
asyncio.run(converse(StdioServerParameters(command=host, args=["mcp", url])))
