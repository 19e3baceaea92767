// What a real daemon does too seldom to wait for: it hangs, breaks off, or is something else.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, describe, mock, test } from "node:test";

import { Cds } from "cds-client";

import { Events } from "../dist/events.js";

const servers = [];

after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A client of a server that answers so. */
async function answering(answer, options = {}) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return new Cds({ url: `http://127.0.0.1:${server.address().port}`, ...options });
}

const task = (id, state, more) => ({ id, project: "p", force: false, state, phase: "", done: 0, total: 0, ...more });
const event = (task) => `event: task\ndata: ${JSON.stringify(task)}\n\n`;

function streaming(texts, { open = false } = {}) {
  return (request, response) => {
    const id = /tasks\/(\w+)\/events/.exec(request.url)[1];
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(texts[id]);
    if (!open) {
      response.end();
    }
  };
}

async function all(events) {
  const seen = [];
  for await (const task of events) {
    seen.push([task.id, task.state]);
  }
  return seen;
}

describe("events", () => {
  test("are whole, however the bytes come", () => {
    const check = (text, expect) => {
      const bytes = new TextEncoder().encode(text);
      for (let size = 1; size <= bytes.length; size += 1) {
        const events = new Events();
        const found = [];
        for (let at = 0; at < bytes.length; at += size) {
          found.push(...events.take(bytes.subarray(at, at + size)));
        }
        assert.deepEqual(found, expect, `${JSON.stringify(text)} by ${size}`);
      }
    };
    check("data: a\n\ndata: b\n\n", ["a", "b"]);
    check("event: task\r\ndata: grün\r\n\r\n", ["grün"]);
    check("data: one\ndata: two\n\n", ["one\ntwo"]);
    check(":\n\n: still here\n\ndata:a\n\n", ["a"]);
    check("data\n\n", [""]);
    check("database: x\nid: 1\n\n", []);
    check("data: cut", []);
    check("data: cut\n", []);
  });

  test("come until the task ends", async () => {
    const text = event(task("1", "running")) + ":\n\n" + event(task("1", "completed"));
    const cds = await answering(streaming({ 1: text }));
    assert.deepEqual(await all(cds.follow("1")), [["1", "running"], ["1", "completed"]]);
  });

  test("of a merged task go on as those of the other", async () => {
    const texts = { 2: event(task("2", "merged", { merged_into: "1" })), 1: event(task("1", "completed")) };
    const cds = await answering(streaming(texts));
    assert.deepEqual(await all(cds.follow("2")), [["2", "merged"], ["1", "completed"]]);
  });

  test("that break off are an error", async () => {
    const cds = await answering(streaming({ 1: event(task("1", "running")) }));
    await assert.rejects(all(cds.follow("1")), { name: "CdsError", status: 0, code: "connection" });
    const cut = await answering((request, response) => {
      response.writeHead(200);
      response.write(event(task("1", "running")), () => response.destroy());
    });
    await assert.rejects(all(cut.follow("1")), { name: "CdsError", status: 0, code: "connection" });
  });

  test("that are not JSON are an error", async () => {
    const cds = await answering(streaming({ 1: "data: hello\n\n" }));
    await assert.rejects(all(cds.follow("1")), { name: "CdsError", status: 200, code: "bad_answer" });
  });

  test("can be left by a signal, and by leaving", async () => {
    let closed = 0;
    const stream = streaming({ 1: event(task("1", "running")) }, { open: true });
    const cds = await answering((request, response) => {
      response.once("close", () => (closed += 1));
      stream(request, response);
    });
    const controller = new AbortController();
    const events = cds.follow("1", { signal: controller.signal });
    assert.equal((await events.next()).value.state, "running");
    const next = events.next();
    controller.abort();
    await assert.rejects(next, { name: "AbortError" });
    for await (const task of cds.follow("1")) {
      assert.equal(task.state, "running");
      break;
    }
    while (closed < 2) {
      await new Promise(setImmediate);
    }
  });

  test("that stop without a word are not waited for", async () => {
    const cds = await answering(streaming({ 1: event(task("1", "running")) }, { open: true }));
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const events = cds.follow("1", { timeoutMs: 1000 });
      assert.equal((await events.next()).value.state, "running");
      const next = events.next();
      // The timeout was for the first word. It does not end a task that takes long.
      mock.timers.tick(44_999);
      assert.equal(await Promise.race([next, new Promise((go) => setImmediate(go, "waiting"))]), "waiting");
      mock.timers.tick(1);
      await assert.rejects(next, { name: "CdsError", status: 0, code: "timeout" });
    } finally {
      mock.timers.reset();
    }
  });
});

describe("time", () => {
  const late = { name: "CdsError", status: 0, code: "timeout", message: /no answer from http:.* within 20 ms/ };

  test("of the client", async () => {
    const cds = await answering(() => {}, { timeoutMs: 20 });
    await assert.rejects(cds.search({ query: "x" }), late);
    await assert.rejects(cds.follow("1").next(), late);
  });

  test("of a call, over that of the client", async () => {
    const cds = await answering(() => {}, { timeoutMs: 0 });
    await assert.rejects(cds.search({ query: "x" }, { timeoutMs: 20 }), late);
    await assert.rejects(cds.refresh({}, { timeoutMs: 20 }), late);
  });

  test("does not count for what may take long", async () => {
    const slow = (request, response) => setTimeout(() => response.end("{}"), 100);
    const cds = await answering(slow, { timeoutMs: 20 });
    assert.deepEqual(await cds.refresh(), {});
  });

  test("covers the body", async () => {
    const cds = await answering((request, response) => {
      response.writeHead(200);
      response.write("[");
    });
    await assert.rejects(cds.projects({ timeoutMs: 20 }), late);
  });

  test("that is none", async () => {
    assert.throws(() => new Cds({ timeoutMs: -1 }), /timeoutMs: expected 0 to/);
    assert.throws(() => new Cds({ timeoutMs: Number.NaN }), /timeoutMs/);
    await assert.rejects(new Cds().health({ timeoutMs: Infinity }), /timeoutMs/);
  });
});

describe("strangers", () => {
  const plain = (status, text, headers) => (request, response) => {
    response.writeHead(status, headers);
    response.end(text);
  };
  const strange = (status) => ({ name: "CdsError", status, code: "bad_answer", message: new RegExp(`answered ${status}`) });

  test("that are not cds", async () => {
    await assert.rejects((await answering(plain(200, "<html>"))).health(), strange(200));
    await assert.rejects((await answering(plain(502, "<html>"))).health(), strange(502));
    await assert.rejects((await answering(plain(502, "null"))).ready(), strange(502));
    await assert.rejects((await answering(plain(500, '{"error":"oops"}'))).projects(), strange(500));
    await assert.rejects((await answering(plain(404, ""))).follow("1").next(), strange(404));
  });

  test("that send us elsewhere", async () => {
    const cds = await answering(plain(302, "", { location: "http://localhost/" }), { token: "secret" });
    await assert.rejects(cds.projects(), { name: "CdsError", status: 0, code: "connection", message: /redirect/ });
  });
});

test("not ready yet is an answer", async () => {
  const cds = await answering((request, response) => {
    response.writeHead(503);
    response.end('{"ready":false,"projects":[]}');
  });
  assert.deepEqual(await cds.ready(), { ready: false, projects: [] });
});

describe("options", () => {
  test("an address", () => {
    assert.equal(new Cds().url, "http://127.0.0.1:9876");
    assert.equal(new Cds({ url: "https://code.example/cds//" }).url, "https://code.example/cds");
    for (const url of ["", "127.0.0.1:9876", "ftp://code.example", "http://"]) {
      assert.throws(() => new Cds({ url }), { name: "TypeError", message: /url: expected http/ });
    }
  });

  test("a token that no header holds", () => {
    assert.throws(() => new Cds({ token: "two\nlines" }), { name: "TypeError" });
  });

  test("a fetch of one's own", async () => {
    const sent = [];
    const cds = new Cds({
      url: "http://code.example/base/",
      token: "secret",
      fetch: async (url, init) => {
        sent.push([init.method, url, { ...init.headers }, init.body]);
        return new Response('{"hits":[]}');
      },
    });
    await cds.search({ query: "x", limit: undefined });
    await cds.task("a/b");
    assert.deepEqual(sent, [
      [
        "POST",
        "http://code.example/base/api/v1/search",
        { authorization: "Bearer secret", "content-type": "application/json" },
        '{"query":"x"}',
      ],
      ["GET", "http://code.example/base/api/v1/tasks/a%2Fb", { authorization: "Bearer secret" }, undefined],
    ]);
  });

  test("a request that JSON cannot say", async () => {
    await assert.rejects(new Cds().search({ query: "x", limit: 1n }), { name: "TypeError", message: /BigInt/ });
  });
});
