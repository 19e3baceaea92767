// Makes src/types.ts from an OpenAPI document.
//
//     node generate.mjs                  from openapi.json beside this file
//     node generate.mjs PATH             from another file
//     node generate.mjs http://HOST/...  from a running cds, whose document becomes openapi.json
//
// It is our own because the types should read as if somebody had written them, and because a client without
// dependencies should not need a tree of them to be built.

import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const DOCUMENT = new URL("openapi.json", import.meta.url);
const TYPES = new URL("src/types.ts", import.meta.url);

const REFERENCE = "#/components/schemas/";

/** Keywords that no type can say, or that are said elsewhere. Any other that is not handled below is an error. */
const SILENT = new Set([
  "default", "description", "format", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "pattern", "required",
  "title",
]);

/** Keywords that `typeOf` turns into a type. */
const SPOKEN = new Set([
  "$ref", "additionalProperties", "anyOf", "const", "enum", "items", "oneOf", "prefixItems", "properties", "type",
]);

const METHODS = ["get", "put", "post", "delete", "patch"];

/** The text of src/types.ts. Equal documents give equal bytes. */
export function generate(document) {
  const parts = ["// Made by generate.mjs from openapi.json: change neither by hand.\n"];
  const names = new Set();
  const declare = (name, schema) => {
    // Two things of one name would silently become one interface.
    if (names.has(name)) {
      throw new Error(`two types would be called ${name}`);
    }
    names.add(name);
    parts.push(declaration(name, schema));
  };
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    declare(name, schema);
  }
  // Operations that take or give the same share a type, so that one function can read the answers of all.
  const known = new Map();
  const operation = (name, schema, about) => {
    const described = { ...schema, description: about };
    const text = JSON.stringify(schema);
    if (schema.properties === undefined) {
      declare(name, described);
    } else if (known.has(text)) {
      declare(name, { $ref: REFERENCE + known.get(text), description: about });
    } else {
      known.set(text, name);
      declare(name, described);
    }
  };
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS.filter((method) => item[method] !== undefined)) {
      const { operationId, summary, requestBody, responses } = item[method];
      const name = pascal(operationId);
      const where = `\`${method.toUpperCase()} ${path}\``;
      const body = current(requestBody?.content["application/json"].schema);
      if (body !== undefined) {
        operation(`${name}Request`, body, `What ${where} takes. ${summary}`);
      }
      const answers = Object.entries(responses).filter(([status]) => status.startsWith("2"));
      if (answers.length !== 1) {
        throw new Error(`${operationId}: one answer was expected, there are ${answers.length}`);
      }
      const content = Object.values(answers[0][1].content ?? {});
      const about = `What ${where} gives. ${summary}`;
      if (content.length === 0) {
        names.add(`${name}Response`);
        parts.push(`${comment(about, "")}export type ${name}Response = void;\n`);
      } else {
        operation(`${name}Response`, content[0].schema, about);
      }
    }
  }
  return parts.join("\n");
}

/** The schema of a request without what is deprecated: other tools' names of parameters, and numbers written as text. */
export function current(schema) {
  if (schema?.properties === undefined) {
    return schema;
  }
  const kept = Object.entries(schema.properties).filter(([, property]) => property.deprecated !== true);
  const properties = Object.fromEntries(kept.map(([name, property]) => [name, currentChoice(property)]));
  const { allOf = [], required = [], ...rest } = schema;
  // Of the names that one parameter has, the first is ours.
  const names = [...required, ...allOf.flatMap((one) => one.anyOf[0].required)];
  return { ...rest, properties, ...(names.length > 0 ? { required: names } : {}) };
}

function currentChoice(property) {
  const choices = property.anyOf?.filter((choice) => choice.deprecated !== true);
  if (choices === undefined || choices.length === property.anyOf.length) {
    return property;
  }
  const { anyOf, ...rest } = property;
  return choices.length === 1 ? { ...rest, ...choices[0] } : { ...rest, anyOf: choices };
}

function declaration(name, schema) {
  const head = comment(schema.description, "");
  if (schema.properties !== undefined && schema.type === "object") {
    return `${head}export interface ${name} ${typeOf(schema, "")}\n`;
  }
  const type = typeOf(schema, "");
  return `${head}export type ${name} =${type.startsWith("\n") ? "" : " "}${type};\n`;
}

function typeOf(schema, indent) {
  if (schema === true || schema === undefined) {
    return "unknown";
  }
  const strange = Object.keys(schema).find((key) => !SILENT.has(key) && !SPOKEN.has(key));
  if (strange !== undefined) {
    throw new Error(`the generator does not know ${strange}: ${JSON.stringify(schema).slice(0, 200)}`);
  }
  if (schema.$ref !== undefined) {
    if (!schema.$ref.startsWith(REFERENCE)) {
      throw new Error(`the generator does not know where ${schema.$ref} is`);
    }
    return schema.$ref.slice(REFERENCE.length);
  }
  if (schema.const !== undefined) {
    return JSON.stringify(schema.const);
  }
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  }
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) {
    if (choices.every((choice) => choice.description !== undefined)) {
      const inner = `${indent}  `;
      const lines = choices.map((choice) => `${comment(choice.description, inner)}${inner}| ${typeOf(choice, inner)}`);
      return `\n${lines.join("\n")}`;
    }
    return choices.map((choice) => typeOf(choice, indent)).join(" | ");
  }
  const types = [schema.type ?? []].flat();
  if (types.length === 0) {
    return "unknown";
  }
  return types.map((type) => plain(type, schema, indent)).join(" | ");
}

function plain(type, schema, indent) {
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return type;
    case "array": {
      if (schema.prefixItems !== undefined) {
        return `[${schema.prefixItems.map((item) => typeOf(item, indent)).join(", ")}]`;
      }
      const item = typeOf(schema.items, indent);
      return item.includes("|") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      return schema.properties === undefined ? map(schema, indent) : object(schema, indent);
    default:
      throw new Error(`the generator does not know the type ${type}`);
  }
}

function map(schema, indent) {
  const values = schema.additionalProperties;
  return `Record<string, ${typeof values === "object" ? typeOf(values, indent) : "unknown"}>`;
}

function object(schema, indent) {
  const inner = `${indent}  `;
  const required = new Set(schema.required ?? []);
  const lines = Object.entries(schema.properties).map(([name, property]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const mark = required.has(name) ? "" : "?";
    return `${comment(property.description, inner)}${inner}${key}${mark}: ${typeOf(property, inner)};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function comment(text, indent) {
  if (text === undefined) {
    return "";
  }
  // A glob such as `src/**/*.ts` would end the comment.
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) {
    return `${indent}/** ${lines[0]} */\n`;
  }
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

function pascal(name) {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());
}

async function main(source) {
  let document;
  if (/^https?:/.test(source ?? "")) {
    const response = await fetch(source);
    if (!response.ok) {
      throw new Error(`${source}: ${response.status}`);
    }
    document = await response.json();
    await writeFile(DOCUMENT, `${JSON.stringify(document, null, 2)}\n`);
  } else {
    document = JSON.parse(await readFile(source ?? DOCUMENT, "utf8"));
  }
  await writeFile(TYPES, generate(document));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(process.argv[2]);
}
