"""MCP as the official Python SDK speaks it: over standard input and output and over HTTP, in the protocol that begins with a
handshake and in the one of 2026 that does without. The SDK holds every answer against the tool's output schema and raises
where it does not fit.
"""

import json
import logging
import pathlib
import re
import time
import tomllib
import unittest

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import ListRootsResult, Root

from project import CDS, FILES, PATIENCE, Project, Service, many

DOCS = pathlib.Path(__file__).resolve().parents[4] / "docs/service.md"

# A question for every tool. One that is listed and has none here fails the test: a new tool brings its question.
QUESTIONS = {
    "search_code": {"query": "retry"},
    "find_symbol": {"name": "Cart"},
    "traverse_graph": {"from": "Cart.total"},
    "retrieve": {"ids": ["shop/cart.py:Cart.total", "shop/no.py"]},
    "code_research": {"query": "how are carts added up"},
    "find_similar": {"place": "shop/cart.py:10"},
    "outline": {"path": "shop"},
    "index_status": {},
    "index_codebase": {},
}

# What an agent gets wrong, and a part of what it is told.
MISTAKES = [
    ("search_code", {"query": "  "}, "query cannot be empty"),
    ("search_code", {"query": "x", "limit": "ten"}, "limit: expected integer"),
    ("search_code", {"query": "x", "colour": 1}, "colour"),
    ("search_code", {}, "query"),
    ("search_code", {"query": "x", "cursor": "nonsense"}, "cursor"),
    ("traverse_graph", {"from": "Nobody"}, "Nobody"),
    ("find_similar", {"place": "no/such.py:1"}, "no/such.py"),
    ("outline", {"path": "../elsewhere"}, "elsewhere"),
    ("index_status", {"project": "no"}, "no"),
    ("index_codebase", {"project": "no"}, "no"),
]


MANY = 1500


def ids(answer):
    return [hit["id"] for hit in answer["hits"]]


class Asked:
    """What is asked through every door."""

    mode = "legacy"

    @classmethod
    def setUpClass(cls):
        cls.project = Project(FILES | many(MANY))
        cls.addClassCleanup(cls.project.outer.cleanup)
        cls.project.cds("index")

    async def told(self, client, tool, arguments=None):
        result = await client.call_tool(tool, arguments or {})
        self.assertFalse(result.is_error, f"{tool} {arguments}: {result.content}")
        self.assertTrue(result.content[0].text.strip(), tool)
        return result.structured_content

    async def test_who_it_is(self):
        with self.assertNoLogs("mcp", "WARNING"):
            async with self.client() as client:
                self.assertEqual(client.server_info.name, "cds")
                self.assertIn("search_code", client.instructions)
                self.assertEqual(client.protocol_version >= "2026", self.mode != "legacy")

    async def test_tools_are_those_of_the_table_and_say_what_they_do(self):
        documented = re.findall(r"`(\w+)`", re.search(r"^Tools: (.*?)\.", DOCS.read_text(), re.S | re.M)[1])
        async with self.client() as client:
            tools = (await client.list_tools()).tools
        self.assertEqual(sorted(tool.name for tool in tools), sorted(documented))
        for tool in tools:
            self.assertTrue(tool.description, tool.name)
            self.assertIsNotNone(tool.output_schema, tool.name)
            self.assertTrue(tool.annotations.title, tool.name)
            self.assertEqual(tool.annotations.read_only_hint, tool.name != "index_codebase", tool.name)
            self.assertIs(tool.annotations.destructive_hint, False, tool.name)
            self.assertIs(tool.annotations.open_world_hint, False, tool.name)

    async def test_every_tool_answers_as_its_schema_says(self):
        async with self.client() as client:
            answers = {}
            for tool in (await client.list_tools()).tools:
                self.assertIn(tool.name, QUESTIONS, "a new tool brings its question")
                answers[tool.name] = await self.told(client, tool.name, QUESTIONS[tool.name])
            self.assertIn("shop/retry.ts:retry", ids(answers["search_code"]))
            self.assertEqual(ids(answers["find_symbol"])[0], "shop/cart.py:Cart")
            self.assertTrue(answers["traverse_graph"]["edges"])
            self.assertEqual(ids(answers["retrieve"]), ["shop/cart.py:Cart.total"])
            self.assertEqual([miss["id"] for miss in answers["retrieve"]["missing"]], ["shop/no.py"])
            self.assertTrue(answers["find_similar"]["hits"])
            self.assertEqual(len(answers["outline"]["files"]), 3)
            self.assertEqual(answers["index_status"]["files"], len(FILES) + MANY)
            self.assertEqual(answers["index_codebase"]["state"], "completed")

    async def test_mistakes_are_told_in_words(self):
        async with self.client() as client:
            for tool, arguments, expect in MISTAKES:
                result = await client.call_tool(tool, arguments)
                self.assertTrue(result.is_error, f"{tool} {arguments}")
                self.assertIn(expect, result.content[0].text, f"{tool} {arguments}")
            with self.assertRaisesRegex(MCPError, "search_code"):
                await client.call_tool("no_such_tool", {})
            # Whatever was asked, the next one is answered.
            await self.told(client, "search_code", {"query": "retry"})

    async def test_an_answer_fits_its_budget_and_goes_on(self):
        async with self.client() as client:
            whole = await self.told(client, "search_code", {"query": "cart", "limit": 50, "max_tokens": 20000})
            small = await client.call_tool("search_code", {"query": "cart", "limit": 50, "max_tokens": 120})
            self.assertLess(len(small.content[0].text), 120 * 8)
            self.assertLess(len(small.structured_content["hits"]), len(whole["hits"]))
            seen, cursor = [], None
            for _ in range(len(whole["hits"]) + 2):
                page = {"query": "cart", "limit": 2} | ({"cursor": cursor} if cursor else {})
                answer = await self.told(client, "search_code", page)
                seen += ids(answer)
                cursor = answer.get("next_cursor")
                if cursor is None:
                    break
            self.assertIsNone(cursor)
            self.assertEqual(seen, ids(whole))

    async def test_progress_is_told_and_never_goes_back(self):
        seen = []

        async def progress(done, total, message):
            seen.append((done, total, message))

        async with self.client() as client:
            result = await client.call_tool("index_codebase", {"force": True}, progress_callback=progress)
            self.assertFalse(result.is_error)
        self.assertTrue(seen)
        self.assertEqual(sorted({done for done, _, _ in seen}), [done for done, _, _ in seen])
        for done, total, message in seen:
            self.assertTrue(message, seen)
            self.assertTrue(total is None or done <= total, seen)

    async def test_indexing_can_be_cancelled(self):
        async with self.client() as client:
            # What is nearly done may be done before it hears that it should not be.
            for _ in range(8):
                with anyio.CancelScope() as scope:
                    async def progress(*_):
                        scope.cancel()

                    await client.call_tool("index_codebase", {"force": True}, progress_callback=progress)
                self.assertTrue(scope.cancelled_caught)
                if await self.cancelled():
                    break
            else:
                self.fail("no task was cancelled")
            # The index of before answers.
            self.assertTrue((await self.told(client, "search_code", {"query": "retry"}))["hits"])

    async def cancelled(self):
        """Whether the task was cancelled; where tasks cannot be seen, the client's word is all there is."""
        return True

    async def test_files_and_entities_are_resources(self):
        async with self.client() as client:
            listed = (await client.list_resources()).resources
            self.assertEqual([resource.uri for resource in listed], ["cds://project/"])
            templates = (await client.list_resource_templates()).resource_templates
            self.assertEqual([template.uri_template for template in templates], ["cds://{project}/{+id}"])

            async def text(uri):
                return (await client.read_resource(uri)).contents[0].text

            self.assertIn(f"{len(FILES) + MANY} files", await text("cds://project/"))
            self.assertEqual(await text("cds://project/shop/money.py:parse"), "def parse(text):\n    return int(text)")
            self.assertEqual(await text("cds://project/shop/money.py"), FILES["shop/money.py"].rstrip("\n"))
            for uri in ("cds://project/../home", "cds://elsewhere/shop/money.py", "cds://project/no.py", "file:///etc"):
                with self.assertRaises(MCPError, msg=uri):
                    await text(uri)


class Stdio(Asked, unittest.IsolatedAsyncioTestCase):
    def client(self, project=None, **options):
        project = project or self.project
        start = StdioServerParameters(command=CDS, args=["mcp"], cwd=project.root, env=project.environment)
        return Client(start, mode=self.mode, read_timeout_seconds=PATIENCE, **options)

    async def test_a_first_search_is_answered_at_once_and_marked(self):
        with Project(FILES | many(MANY)) as fresh:
            started = time.monotonic()
            async with self.client(fresh) as client:
                # The bar is 100 ms; a busy machine may take longer to start a process.
                self.assertLess(time.monotonic() - started, 2)
                early = await self.told(client, "search_code", {"query": "retry"})
                self.assertLess(time.monotonic() - started, 3)
                self.assertTrue(early.get("partial") or early["total"] > 0, early)
                # An answer without hits is as whole as its schema asks, whatever was asked.
                for tool in ("find_symbol", "retrieve", "find_similar"):
                    await client.call_tool(tool, QUESTIONS[tool])
                await self.told(client, "index_codebase")
                self.assertGreater((await self.told(client, "search_code", {"query": "retry"}))["total"], 0)

    async def test_the_folder_that_a_client_works_on_is_opened_and_asked(self):
        with Project({"bank/account.py": "def transfer_money():\n    return 1\n"}, name="my bank") as bank:
            async def roots(_):
                return ListRootsResult(roots=[Root(uri=bank.root.as_uri())])

            async with self.client(list_roots_callback=roots) as client:
                # Its index is made meanwhile; whose it is, is known from the first question on.
                self.assertEqual((await self.told(client, "index_codebase"))["project"], "my bank")
                found = await self.told(client, "find_symbol", {"name": "transfer_money"})
                self.assertEqual(ids(found), ["bank/account.py:transfer_money"])
                found = await self.told(client, "find_symbol", {"name": "Cart", "project": "project"})
                self.assertEqual(ids(found)[0], "shop/cart.py:Cart")
                names = [resource.name for resource in (await client.list_resources()).resources]
                self.assertEqual(sorted(names), ["my bank", "project"])


class StdioOf2026(Stdio):
    mode = "auto"


class Http(Asked, unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.service = Service(cls.project)
        cls.addClassCleanup(cls.service.stop)

    def client(self, **options):
        return Client(f"{self.service.url}/mcp", mode=self.mode, read_timeout_seconds=PATIENCE, **options)

    async def cancelled(self):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            task = json.loads(self.service.get("/api/v1/tasks"))[0]
            if task["state"] not in ("pending", "running"):
                break
            await anyio.sleep(0.05)
        self.assertIn(task["state"], ("cancelled", "completed"))
        self.assertTrue(task["force"])
        return task["state"] == "cancelled"

    async def test_who_loses_patience_stops_nobody_else(self):
        async with self.client() as first, self.client() as second, anyio.create_task_group() as tasks:
            done = []

            async def patient():
                done.append(await self.told(first, "index_codebase", {"force": True}))

            tasks.start_soon(patient)
            while not any(task["state"] == "running" for task in json.loads(self.service.get("/api/v1/tasks"))):
                await anyio.sleep(0.01)
            with anyio.move_on_after(0.1):
                await second.call_tool("index_codebase", {"force": True})
        self.assertEqual([task["state"] for task in done], ["completed"])


class HttpOf2026(Http):
    mode = "auto"


class Installed(unittest.IsolatedAsyncioTestCase):
    """The entries that `cds install` writes start a cds that a client can speak to."""

    # Agent, file, where servers stand.
    AGENTS = [
        ("claude", ".mcp.json", "mcpServers"),
        ("cursor", ".cursor/mcp.json", "mcpServers"),
        ("codex", ".codex/config.toml", "mcp_servers"),
        ("vscode", ".vscode/mcp.json", "servers"),
        ("gemini", ".gemini/settings.json", "mcpServers"),
        ("opencode", "opencode.json", "mcp"),
        ("zed", ".zed/settings.json", "context_servers"),
    ]

    async def test_every_entry_starts_it(self):
        for agent, file, key in self.AGENTS:
            with self.subTest(agent), Project(FILES) as project:
                project.cds("install", agent)
                text = (project.root / file).read_text()
                entry = (tomllib.loads(text) if file.endswith(".toml") else json.loads(text))[key]["cds"]
                command = entry["command"]
                line = command if isinstance(command, list) else [command, *entry["args"]]
                start = StdioServerParameters(
                    command=line[0], args=line[1:], cwd=project.root, env=project.environment
                )
                async with Client(start, read_timeout_seconds=PATIENCE) as client:
                    await client.call_tool("index_codebase", {})
                    result = await client.call_tool("search_code", {"query": "retry"})
                    self.assertIn("shop/retry.ts", result.content[0].text)
                project.cds("uninstall", agent)
                self.assertFalse((project.root / file).exists())


if __name__ == "__main__":
    # Under test the loop says what took it long.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    unittest.main(verbosity=2)
