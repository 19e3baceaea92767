// Every method against a real daemon.

import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { basename } from "node:path";
import { after, before, describe, test } from "node:test";

import { Cds, CdsError } from "cds-client";

import { folder, serve, settled } from "./daemon.mjs";

const SHAPES = `"""Shapes."""


class Shape:
    """Anything with an area."""

    def area(self):
        raise NotImplementedError


class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return multiply(self.side, self.side)


def multiply(first, second):
    """Multiply two numbers."""
    return first * second
`;

const REPORT = `from shapes import Square


def report(side):
    """Say how large a square is."""
    return Square(side).area()
`;

const OTHER = `/** Divides two numbers. */
export function divide(first: number, second: number): number {
  return first / second;
}
`;

const document = JSON.parse(await readFile(new URL("../openapi.json", import.meta.url), "utf8"));
const asked = new Set();
let one, two, home, daemon, cds, name, other;

/** Remembers what was asked, in the words of the document. */
const recording = (url, init) => {
  const { pathname } = new URL(url);
  const path = pathname.replace(/^(\/api\/v1\/(?:projects|tasks))\/[^/]+/, "$1/{id}");
  asked.add(`${init.method} ${path}`);
  return fetch(url, init);
};

async function fails(promise, { status, code, field, message }) {
  const error = await promise.then(() => assert.fail("it was answered"), (error) => error);
  assert.ok(error instanceof CdsError, String(error));
  assert.equal(error.name, "CdsError");
  assert.deepEqual({ status: error.status, code: error.code, field: error.data?.field }, { status, code, field });
  assert.match(error.message, message ?? /./);
  return error;
}

async function clean() {
  await daemon?.stop();
  await Promise.all([one, two, home].map((made) => made?.remove()));
}

before(async () => {
  try {
    home = await folder({});
    one = await folder({ "shapes.py": SHAPES, "report.py": REPORT, "empty.bin": "\0\0\0" });
    two = await folder({ "src/divide.ts": OTHER });
    [name, other] = [basename(one.root), basename(two.root)];
    daemon = await serve([one.root, "--allow-root", one.root, "--allow-root", two.root], { home: home.root });
    cds = new Cds({ url: daemon.url, fetch: recording });
    await settled(cds);
  } catch (error) {
    // What comes after is not run where this fails.
    await clean();
    throw error;
  }
});

after(clean);

describe("operations", () => {
  const ids = (things) => things.map((thing) => thing.id);

  test("search", async () => {
    const answer = await cds.search({ query: "multiply two numbers", limit: 3 });
    assert.equal(answer.query, "multiply two numbers");
    assert.equal(answer.hits[0].id, "shapes.py:multiply");
    assert.match(answer.hits[0].snippet, /return first \* second/);
    assert.ok(answer.total >= answer.hits.length);
  });

  test("search goes on at a cursor", async () => {
    const first = await cds.search({ query: "area", limit: 1, granularity: "chunk" });
    assert.equal(typeof first.next_cursor, "string");
    const second = await cds.search({ query: "area", limit: 1, granularity: "chunk", cursor: first.next_cursor });
    assert.notEqual(second.hits[0].id, first.hits[0].id);
  });

  test("symbol", async () => {
    const answer = await cds.symbol({ name: "Square" });
    assert.equal(answer.hits[0].id, "shapes.py:Square");
    assert.deepEqual(answer.hits[0].conformances, ["Shape"]);
  });

  test("traverse", async () => {
    const answer = await cds.traverse({ from: ["report.py:report"], depth: 3, edges: ["invoke"] });
    assert.deepEqual(ids(answer.from), ["report.py:report"]);
    assert.ok(ids(answer.nodes).includes("shapes.py:multiply"));
  });

  test("callers and callees", async () => {
    assert.deepEqual(ids((await cds.callers({ from: ["shapes.py:multiply"] })).nodes), ["shapes.py:Square.area"]);
    assert.deepEqual(ids((await cds.callees({ from: ["shapes.py:Square.area"] })).nodes), ["shapes.py:multiply"]);
  });

  test("research", async () => {
    const answer = await cds.research({ query: "what would break if multiply changed" });
    assert.deepEqual(ids(answer.subjects), ["shapes.py:multiply"]);
    assert.deepEqual(answer.sections.map((section) => section.kind), ["impact", "tests"]);
    assert.equal(answer.sections[0].findings[0].id, "shapes.py:Square.area");
    assert.deepEqual(answer.sections[0].findings[0].via, ["shapes.py:16"]);
    await fails(cds.research({ query: "" }), { status: 400, code: "invalid_parameter", field: "query" });
  });

  test("LocAgent's tools", async () => {
    const found = await cds.locagentSearch({ search_terms: ["shapes.py:multiply"] });
    assert.match(found.text, /##Searching for term "shapes.py:multiply"/);
    const tree = await cds.locagentExplore({ start_entities: ["shapes.py:Square"], traversal_depth: 1 });
    assert.match(tree.text, /^shapes.py:Square\n/);
    const code = await cds.locagentRetrieve({ entity_names: ["shapes.py:multiply"] });
    assert.match(code.text, /return first \* second/);
    const page = await cds.locagentGraph({ part: "nodes", limit: 1 });
    assert.deepEqual([JSON.parse(page.text).id, page.next_offset], ["/", 1]);
  });

  test("implementations", async () => {
    assert.deepEqual(ids((await cds.implementations({ from: ["shapes.py:Shape"] })).nodes), ["shapes.py:Square"]);
  });

  test("dependents", async () => {
    assert.deepEqual(ids((await cds.dependents({ from: ["shapes.py"] })).nodes), ["report.py"]);
  });

  test("path", async () => {
    const answer = await cds.path({ from: "report.py:report", to: "shapes.py:multiply" });
    assert.equal(answer.nodes.at(-1).id, "shapes.py:multiply");
  });

  test("retrieve", async () => {
    const answer = await cds.retrieve({ ids: ["shapes.py:multiply", "shapes.py:nothing"] });
    assert.match(answer.hits[0].snippet, /return first \* second/);
    assert.deepEqual(ids(answer.missing), ["shapes.py:nothing"]);
  });

  test("similar", async () => {
    const answer = await cds.similar({ place: "shapes.py:21", limit: 2 });
    assert.equal(answer.hits.length, 2);
    assert.ok(!ids(answer.hits).includes("shapes.py:multiply"));
  });

  test("outline", async () => {
    assert.deepEqual((await cds.outline()).files.map((file) => file.path), ["report.py", "shapes.py"]);
    const { files } = await cds.outline({ path: "report.py" });
    assert.deepEqual(files[0].entities.map((entity) => entity.name), ["report"]);
  });

  test("grep", async () => {
    const answer = await cds.grep({ pattern: "def \\w+\\(self\\)" });
    assert.equal(answer.total, 2);
    assert.equal(answer.hits[0].entity, "Shape.area");
    assert.deepEqual(answer.hits[0].matches, [[4, 18]]);
  });

  test("status", async () => {
    assert.equal((await cds.status()).files, 2);
    const { problems } = await cds.status({ problems: true });
    assert.deepEqual(problems.map((problem) => problem.path), ["empty.bin"]);
  });
});

describe("projects", () => {
  test("a second one is opened, asked and closed", async () => {
    assert.deepEqual((await cds.projects()).map((project) => project.name), [name]);
    const opened = await cds.openProject(two.root);
    assert.deepEqual([opened.name, opened.root], [other, two.root]);
    await settled(cds);
    assert.deepEqual((await cds.projects()).map((project) => project.name), [name, other].sort());
    assert.equal((await cds.project(other)).index.state, "ready");

    const own = await cds.search({ query: "divide", project: other });
    assert.equal(own.hits[0].id, "src/divide.ts:divide");
    const both = await cds.search({ query: "two numbers", project: [name, other] });
    assert.deepEqual(new Set(both.hits.map((hit) => hit.project)), new Set([name, other]));
    const lines = await cds.grep({ pattern: "two numbers", project: "*" });
    assert.deepEqual(lines.hits.map((hit) => hit.project).sort(), [name, other].sort());

    const first = await cds.search({ query: "two numbers" });
    assert.ok(first.hits.length > 0 && first.hits.every((hit) => hit.path !== "src/divide.ts"), "the first is the default");
    assert.equal(await cds.closeProject(other), undefined);
    assert.deepEqual((await cds.projects()).map((project) => project.name), [name]);
  });

  test("what was written is found after a refresh", async () => {
    await writeFile(`${one.root}/late.py`, "def written_late():\n    return 1\n");
    assert.equal((await cds.refresh({ project: name })).name, name);
    assert.equal((await cds.symbol({ name: "written_late" })).hits[0].path, "late.py");
    await rm(`${one.root}/late.py`);
    await cds.refresh();
    assert.equal((await cds.symbol({ name: "written_late" })).total, 0);
  });

  test("a path in one names it", async () => {
    assert.equal((await cds.project(`${one.root}/shapes.py`)).name, name);
  });

  test("one that is not open", async () => {
    const unknown = { status: 404, code: "not_found", message: /"nobody" is not open/ };
    await fails(cds.search({ query: "x", project: "nobody" }), unknown);
    await fails(cds.project("nobody"), unknown);
    await fails(cds.closeProject("nobody"), unknown);
    await fails(cds.index({ project: "nobody" }), unknown);
    await fails(cds.refresh({ project: "nobody" }), unknown);
  });

  test("a folder that is not allowed", async () => {
    await fails(cds.openProject(home.root), { status: 400, code: "invalid_parameter", message: /may be opened/ });
  });

  test("a name that would be another path", async () => {
    for (const strange of ["", ".", ".."]) {
      await fails(cds.project(strange), { status: 0, code: "invalid_parameter", field: "name" });
    }
    await fails(cds.project("../tasks?x#y"), { status: 404, code: "not_found" });
  });
});

describe("tasks", () => {
  const followed = async (id) => {
    const seen = [];
    for await (const task of cds.follow(id)) {
      seen.push(task);
    }
    return seen;
  };

  test("an index is made and followed to its end", async () => {
    const begun = await cds.index({ project: name, force: true });
    assert.deepEqual([begun.project, begun.force], [name, true]);
    const last = (await followed(begun.id)).at(-1);
    assert.deepEqual([last.id, last.state, last.files, last.parsed], [begun.id, "completed", 2, 2]);
    assert.deepEqual(await cds.task(begun.id), last);
    assert.equal((await cds.tasks())[0].id, begun.id);
  });

  test("equal ones both end as the one that works", async () => {
    const begun = await Promise.all([1, 2, 3].map(() => cds.index({ force: true })));
    for (const { id } of begun) {
      assert.equal((await followed(id)).at(-1).state, "completed");
    }
  });

  test("one is cancelled", async () => {
    const begun = await cds.index({ force: true });
    assert.equal((await cds.cancelTask(begun.id)).id, begun.id);
    // It may have been quicker.
    assert.match((await followed(begun.id)).at(-1).state, /^(cancelled|completed)$/);
  });

  test("whoever follows may leave", async () => {
    const { id } = await cds.index({ force: true });
    for await (const task of cds.follow(id)) {
      assert.equal(task.project, name);
      break;
    }
    await followed(id);
  });

  test("one that is not known", async () => {
    const unknown = { status: 404, code: "not_found" };
    await fails(cds.task("999999"), unknown);
    await fails(cds.cancelTask("999999"), unknown);
    await fails(cds.follow("999999").next(), unknown);
    await fails(cds.follow("..").next(), { status: 0, code: "invalid_parameter", field: "id" });
  });
});

describe("faults", () => {
  test("a parameter at fault is named", async () => {
    const error = await fails(cds.search({ query: "x", limit: -1 }), {
      status: 400,
      code: "invalid_parameter",
      field: "limit",
    });
    assert.match(error.data.expected, /integer, at least 1/);
    assert.equal(error.data.received, "-1");
    await fails(cds.search({}), { status: 400, code: "invalid_parameter", field: "query" });
    await fails(cds.search({ query: "x", colour: 1 }), { status: 400, code: "invalid_parameter", field: "colour" });
    await fails(cds.index({ force: "yes" }), { status: 400, code: "invalid_parameter", field: "force" });
  });

  test("an entity that is not there", async () => {
    await fails(cds.callers({ from: ["nothing_of_that_name"] }), { status: 404, code: "not_found" });
  });

  test("nobody listens", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address();
    await new Promise((resolve) => server.close(resolve));
    const nobody = new Cds({ url: `http://127.0.0.1:${port}` });
    const refused = { status: 0, code: "connection", message: new RegExp(`127\\.0\\.0\\.1:${port} .*ECONNREFUSED.*cds serve`) };
    const error = await fails(nobody.health(), refused);
    assert.ok(error.cause instanceof Error);
    await fails(nobody.follow("1").next(), refused);
  });
});

describe("aborts", () => {
  test("before it is sent", async () => {
    const signal = AbortSignal.abort();
    await assert.rejects(cds.search({ query: "x" }, { signal }), { name: "AbortError" });
    await assert.rejects(cds.follow("1", { signal }).next(), { name: "AbortError" });
  });

  test("on the way, with a reason", async () => {
    const controller = new AbortController();
    const answer = cds.search({ query: "x" }, { signal: controller.signal });
    controller.abort(new RangeError("enough"));
    await assert.rejects(answer, { name: "RangeError", message: "enough" });
  });

  test("one signal serves many calls", async () => {
    const { signal } = new AbortController();
    let held = 0;
    const [add, remove] = [signal.addEventListener, signal.removeEventListener];
    signal.addEventListener = (...given) => ((held += 1), add.apply(signal, given));
    signal.removeEventListener = (...given) => ((held -= 1), remove.apply(signal, given));
    for (let n = 0; n < 3; n += 1) {
      await cds.health({ signal });
    }
    assert.equal(held, 0);
  });
});

describe("operators", () => {
  test("health and ready", async () => {
    assert.equal((await cds.health()).status, "ok");
    const ready = await cds.ready();
    assert.equal(ready.ready, true);
    assert.equal(ready.projects[0].root, one.root);
  });

  test("a token", async () => {
    const guarded = await serve([one.root, "--no-watch"], { home: home.root, token: "secret" });
    try {
      const stranger = new Cds({ url: guarded.url });
      assert.equal((await stranger.health()).status, "ok");
      const refused = { status: 401, code: "refused", message: /token/ };
      await fails(stranger.projects(), refused);
      await fails(stranger.ready(), refused);
      await fails(stranger.follow("1").next(), refused);
      await fails(new Cds({ url: guarded.url, token: "wrong" }).projects(), refused);
      const friend = new Cds({ url: `${guarded.url}/`, token: "secret" });
      assert.equal((await friend.projects())[0].name, name);
    } finally {
      await guarded.stop();
    }
  });
});

test("the document is that of the daemon", async () => {
  const served = await (await fetch(`${daemon.url}/api/openapi.json`)).json();
  served.info.version = document.info.version;
  assert.deepEqual(served, document, "run `npm run generate -- URL` with the URL of the daemon's document");
});

test("every operation of the document was asked", () => {
  const described = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(described.filter((operation) => !asked.has(operation)), []);
});
