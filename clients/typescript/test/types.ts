// Never run: the compiler alone reads it, as it would read a user's code.

import { Cds, CdsError, type Hit, type SearchResponse, type Task, type TaskState } from "cds-client";

const cds = new Cds({ url: "http://127.0.0.1:9876", token: undefined, timeoutMs: 1000, fetch });

export async function used(signal: AbortSignal): Promise<void> {
  const answer: SearchResponse = await cds.search({ query: "x", limit: null, scope_depth: [0, 1] }, { signal });
  const hits: Hit[] = answer.hits;
  const project: string | undefined = hits[0]?.project;
  const line: string | undefined = (await cds.grep({ pattern: "x", project: ["a", "b"] })).hits[0]?.project;
  const nothing: void = await cds.closeProject("a");
  for await (const task of cds.follow((await cds.index()).id)) {
    const seen: Task = task;
    const state: TaskState = seen.state;
  }
  // @ts-expect-error A query is needed.
  await cds.search({});
  // @ts-expect-error No such parameter.
  await cds.search({ query: "x", colour: 1 });
  // @ts-expect-error A number is needed.
  await cds.search({ query: "x", limit: "1" });
  // @ts-expect-error Two numbers are needed.
  await cds.search({ query: "x", scope_depth: [1] });
  // @ts-expect-error An answer has no such field.
  answer.results;
  // @ts-expect-error Not a state of a task.
  const state: TaskState = "done";
}

export function told(error: unknown): unknown {
  return error instanceof CdsError ? [error.status, error.code, error.data?.["field"]] : undefined;
}
