import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { current, generate } from "../generate.mjs";

const read = (path) => readFile(new URL(path, import.meta.url), "utf8");

test("the types are those of the document", async () => {
  const document = JSON.parse(await read("../openapi.json"));
  assert.equal(await read("../src/types.ts"), generate(document), "run `npm run generate`");
});

test("the document is written as the generator writes it", async () => {
  const text = await read("../openapi.json");
  assert.equal(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
});

/** What a schema becomes. */
const declared = (schema) => generate({ paths: {}, components: { schemas: { T: schema } } }).split("\n").slice(2).join("\n");

test("schemas become types", () => {
  const check = (schema, expect) => assert.equal(declared(schema), `export ${expect}\n`);
  check({ type: "integer", format: "uint", minimum: 0 }, "type T = number;");
  check({ type: ["string", "null"] }, "type T = string | null;");
  check({ type: "array", items: { type: ["string", "null"] } }, "type T = (string | null)[];");
  check({ type: ["array", "null"], prefixItems: [{ type: "integer" }, { type: "string" }] }, "type T = [number, string] | null;");
  check({ type: "object", additionalProperties: { type: "number" } }, "type T = Record<string, number>;");
  check({ type: "object" }, "type T = Record<string, unknown>;");
  check({ enum: ["a", 1] }, 'type T = "a" | 1;');
  check({ anyOf: [{ $ref: "#/components/schemas/U" }, { type: "null" }] }, "type T = U | null;");
  check({}, "type T = unknown;");
  check(
    { type: "object", required: ["a"], properties: { a: { type: "boolean" }, "b-c": true } },
    'interface T {\n  a: boolean;\n  "b-c"?: unknown;\n}',
  );
});

test("a description cannot end its comment", () => {
  assert.equal(declared({ type: "string", description: "As `src/**/*.ts`." }), "/** As `src/**\\/*.ts`. */\nexport type T = string;\n");
});

test("what is not known is not guessed", () => {
  assert.throws(() => declared({ allOf: [] }), /does not know allOf/);
  assert.throws(() => declared({ type: "date" }), /does not know the type date/);
  assert.throws(() => declared({ $ref: "other.json#/x" }), /does not know where/);
  const schema = { type: "object", properties: {} };
  const content = { "application/json": { schema } };
  const post = { operationId: "t", summary: "", requestBody: { content }, responses: { 200: { content } } };
  const twice = { paths: { "/t": { post } }, components: { schemas: { TRequest: schema } } };
  assert.throws(() => generate(twice), /two types would be called TRequest/);
});

test("what is deprecated in a request is left out", () => {
  const number = { type: "integer", minimum: 1 };
  const text = { type: "string", pattern: "^[0-9]+$", deprecated: true };
  const given = {
    type: "object",
    required: ["to"],
    allOf: [{ anyOf: [{ required: ["from"] }, { required: ["start"] }] }],
    properties: {
      from: { type: "string" },
      start: { type: "string", deprecated: true },
      to: { type: "string" },
      limit: { description: "How many.", anyOf: [number, text] },
    },
  };
  assert.deepEqual(current(given), {
    type: "object",
    properties: { from: { type: "string" }, to: { type: "string" }, limit: { description: "How many.", ...number } },
    required: ["to", "from"],
  });
  assert.deepEqual(current({ type: "string" }), { type: "string" });
});
