// MCP as the official TypeScript SDK speaks it, which many agents are built on: over standard input and output and over HTTP.
// The SDK holds every answer against the tool's output schema and throws where it does not fit.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, mock, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const CDS = process.env.CDS_BIN;
const PATIENCE = 180_000;
const MANY = 300;

const FILES = {
  "shop/cart.py": "from shop.money import parse\n\nclass Cart:\n    def total(self):\n        return parse('1')\n",
  "shop/money.py": "def parse(text):\n    return int(text)\n",
  "shop/retry.ts": "export function retry<T>(work: () => T): T {\n  return work();\n}\n",
};

// A question for every tool. One that is listed and has none here fails the test: a new tool brings its question.
const QUESTIONS = {
  search_code: { query: "retry" },
  find_symbol: { name: "Cart" },
  traverse_graph: { from: "Cart.total" },
  retrieve: { ids: ["shop/cart.py:Cart.total", "shop/no.py"] },
  code_research: { query: "how are carts added up" },
  find_similar: { place: "shop/cart.py:4" },
  outline: { path: "shop" },
  index_status: {},
  index_codebase: {},
};

async function write(root, files) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

const outer = await realpath(await mkdtemp(join(tmpdir(), "cds-outside-")));
const root = join(outer, "project");
const environment = { PATH: process.env.PATH ?? "", HOME: outer, XDG_CONFIG_HOME: join(outer, ".config") };

before(async () => {
  await write(root, FILES);
  for (let i = 0; i < MANY; i += 1) {
    const text = Array.from({ length: 60 }, (_, j) => `def f${i}_${j}(value):\n    return g${j}(value)\n`).join("");
    await write(root, { [`many/${i % 97}/m${i}.py`]: text });
  }
});

after(() => rm(outer, { recursive: true, force: true }));

/** `cds serve` on a free port, and how to end it. */
async function serve() {
  const child = spawn(CDS, ["serve", "--port", "0"], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const url = /^listening on (http:\S+)/.exec(line)[1];
  const stop = async () => {
    const ended = once(child, "exit");
    child.kill();
    await ended;
  };
  return { url, stop };
}

function stdio(cwd = root) {
  return new StdioClientTransport({ command: CDS, args: ["mcp"], cwd, env: environment, stderr: "ignore" });
}

async function connected(transport, capabilities = {}, prepare = () => {}) {
  const client = new Client({ name: "a test", version: "1" }, { capabilities });
  prepare(client);
  await client.connect(transport);
  return client;
}

const options = { timeout: PATIENCE };

async function told(client, name, given = {}) {
  const result = await client.callTool({ name, arguments: given }, undefined, options);
  assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  assert.ok(result.content[0].text.trim(), name);
  return result.structuredContent;
}

const ids = (answer) => answer.hits.map((hit) => hit.id);

/** What is asked through both doors. */
function asked(connect) {
  const withClient = (name, body) =>
    test(name, { timeout: 2 * PATIENCE }, async () => {
      const client = await connect();
      try {
        await told(client, "index_codebase");
        await body(client);
      } finally {
        await client.close();
      }
    });

  withClient("every tool answers as its schema says", async (client) => {
    // What the SDK does not understand of a schema it warns of, once for each word.
    const warned = mock.method(console, "warn", () => {});
    assert.equal(client.getServerVersion().name, "cds");
    assert.match(client.getInstructions(), /search_code/);
    const { tools } = await client.listTools();
    const answers = {};
    for (const tool of tools) {
      assert.ok(tool.name in QUESTIONS, `a new tool brings its question: ${tool.name}`);
      assert.ok(tool.outputSchema && tool.description && tool.annotations.title, tool.name);
      assert.equal(tool.annotations.readOnlyHint, tool.name !== "index_codebase", tool.name);
      answers[tool.name] = await told(client, tool.name, QUESTIONS[tool.name]);
    }
    assert.ok(ids(answers.search_code).includes("shop/retry.ts:retry"));
    assert.equal(ids(answers.find_symbol)[0], "shop/cart.py:Cart");
    assert.ok(answers.traverse_graph.edges.length > 0);
    assert.deepEqual(answers.retrieve.missing.map((miss) => miss.id), ["shop/no.py"]);
    warned.mock.restore();
    assert.deepEqual(warned.mock.calls.map((call) => call.arguments), []);
    assert.equal(answers.index_status.files, Object.keys(FILES).length + MANY);
  });

  withClient("mistakes are told in words", async (client) => {
    const mistakes = [
      ["search_code", { query: " " }, /query cannot be empty/],
      ["search_code", { query: "x", limit: "ten" }, /limit: expected integer/],
      ["traverse_graph", { from: "Nobody" }, /Nobody/],
    ];
    for (const [name, given, expect] of mistakes) {
      const result = await client.callTool({ name, arguments: given });
      assert.equal(result.isError, true, name);
      assert.match(result.content[0].text, expect);
    }
    await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /search_code/);
  });

  withClient("an answer fits its budget and goes on", async (client) => {
    const whole = await told(client, "search_code", { query: "value", limit: 20, max_tokens: 20000 });
    const small = await told(client, "search_code", { query: "value", limit: 20, max_tokens: 200 });
    assert.ok(small.hits.length < whole.hits.length);
    const seen = [];
    let cursor;
    do {
      const answer = await told(client, "search_code", { query: "value", limit: 5, ...(cursor && { cursor }) });
      seen.push(...ids(answer));
      cursor = answer.next_cursor;
    } while (cursor && seen.length < whole.hits.length);
    assert.deepEqual(seen, ids(whole));
  });

  withClient("progress is told, and what takes too long is cancelled", async (client) => {
    const seen = [];
    const onprogress = ({ progress, message }) => seen.push([progress, message]);
    const index = { name: "index_codebase", arguments: { force: true } };
    const done = await client.callTool(index, undefined, { ...options, onprogress });
    assert.equal(done.structuredContent.state, "completed");
    assert.ok(seen.length > 0);
    for (let i = 1; i < seen.length; i += 1) {
      assert.ok(seen[i][0] > seen[i - 1][0], JSON.stringify(seen));
    }
    const controller = new AbortController();
    const cancelled = { ...options, onprogress: () => controller.abort(), signal: controller.signal };
    await assert.rejects(client.callTool(index, undefined, cancelled), /abort/i);
    assert.ok((await told(client, "search_code", { query: "retry" })).hits.length > 0);
  });

  withClient("files and entities are resources", async (client) => {
    const { resources } = await client.listResources();
    assert.deepEqual(resources.map((resource) => resource.uri), ["cds://project/"]);
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map((template) => template.uriTemplate), ["cds://{project}/{+id}"]);
    const { contents } = await client.readResource({ uri: "cds://project/shop/money.py:parse" });
    assert.equal(contents[0].text, "def parse(text):\n    return int(text)");
    await assert.rejects(client.readResource({ uri: "cds://project/../home" }));
  });
}

describe("standard input and output", () => {
  asked(() => connected(stdio()));

  test("the folder that a client works on is opened and asked", { timeout: 2 * PATIENCE }, async () => {
    const bank = join(outer, "bank");
    await write(bank, { "account.py": "def transfer_money():\n    return 1\n" });
    const offers = (client) =>
      client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(bank).href }] }));
    const client = await connected(stdio(), { roots: {} }, offers);
    try {
      let found = [];
      for (let tries = 0; tries < 600 && found.length === 0; tries += 1) {
        const result = await client.callTool({ name: "find_symbol", arguments: { name: "transfer_money" } });
        found = result.structuredContent === undefined ? [] : ids(result.structuredContent);
        await sleep(50);
      }
      assert.deepEqual(found, ["account.py:transfer_money"]);
    } finally {
      await client.close();
    }
  });
});

describe("HTTP", () => {
  let service;
  before(async () => {
    service = await serve();
  });
  after(() => service.stop());
  asked(() => connected(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`))));
});
