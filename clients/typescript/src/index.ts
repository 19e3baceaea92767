/** A client of cds: see {@link Cds}. */

import { CdsError } from "./error.js";
import { Events } from "./events.js";
import type * as api from "./types.js";

export { CdsError } from "./error.js";
export type * from "./types.js";

/** Where cds is and how it is asked. */
export interface CdsOptions {
  /** Where `cds serve` listens; http://127.0.0.1:9876 unless told. */
  url?: string | undefined;
  /** The word that the daemon has in `CDS_TOKEN`. */
  token?: string | undefined;
  /** How long an answer may take, in milliseconds; 60000 unless told, 0: as long as it likes. */
  timeoutMs?: number | undefined;
  /** What sends requests; the platform's own unless told. */
  fetch?: typeof fetch | undefined;
}

/** How one call is made. */
export interface CallOptions {
  /** Ends the call. It then rejects with the signal's reason, as `fetch` does. */
  signal?: AbortSignal | undefined;
  /** How long this answer may take, in milliseconds; 0: as long as it likes. */
  timeoutMs?: number | undefined;
}

/** Whether the daemon lives. */
export interface Health {
  /** `ok`. */
  status: string;
  /** The daemon's version. */
  version: string;
}

/** Whether every project can be asked. */
export interface Ready {
  /** Whether no project is being indexed for the first time or after a change. */
  ready: boolean;
  /** How each is doing. */
  projects: api.Project[];
}

/** Twice what the daemon gives itself for an answer, so that its own word about that comes first. */
const TIMEOUT_MS = 60_000;

/** The daemon says something every 15 seconds to whoever follows. After three times that it is gone. */
const SILENCE_MS = 45_000;

/**
 * Asks a running cds.
 *
 * Every method rejects with a {@link CdsError}, or with the reason of the signal that ended it.
 */
export class Cds {
  /** Where it asks. */
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;

  constructor(options: CdsOptions = {}) {
    const url = options.url ?? "http://127.0.0.1:9876";
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
      throw new TypeError(`url: expected http://host:port, received ${JSON.stringify(url)}`);
    }
    this.url = url.replace(/\/+$/, "");
    this.#headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
    // A token that no header can hold is told here, and not as a daemon that does not answer.
    new Headers(this.#headers);
    this.#timeoutMs = milliseconds(options.timeoutMs) ?? TIMEOUT_MS;
    // Called as it stands: a fetch that is a method of this object would be refused by some platforms.
    const send = options.fetch ?? globalThis.fetch;
    this.#fetch = (input, init) => send(input, init);
  }

  /** Searches code by words, names and meaning. Best hits first. */
  search(request: api.SearchRequest, options?: CallOptions): Promise<api.SearchResponse> {
    return this.#post("search", request, options);
  }

  /** Looks up entities by name, prefix, qualified name or id. */
  symbol(request: api.SymbolRequest, options?: CallOptions): Promise<api.SymbolResponse> {
    return this.#post("symbol", request, options);
  }

  /** Walks the code graph from entities. Each edge says how sure it is. */
  traverse(request: api.TraverseRequest, options?: CallOptions): Promise<api.TraverseResponse> {
    return this.#post("traverse", request, options);
  }

  /** Who calls an entity. */
  callers(request: api.CallersRequest, options?: CallOptions): Promise<api.CallersResponse> {
    return this.#post("callers", request, options);
  }

  /** What an entity calls. */
  callees(request: api.CalleesRequest, options?: CallOptions): Promise<api.CalleesResponse> {
    return this.#post("callees", request, options);
  }

  /** Which types extend, implement or conform to one. */
  implementations(request: api.ImplementationsRequest, options?: CallOptions): Promise<api.ImplementationsResponse> {
    return this.#post("implementations", request, options);
  }

  /** Which files use a file, or a module from outside. */
  dependents(request: api.DependentsRequest, options?: CallOptions): Promise<api.DependentsResponse> {
    return this.#post("dependents", request, options);
  }

  /** The shortest way through the graph from one entity to another. */
  path(request: api.PathRequest, options?: CallOptions): Promise<api.PathResponse> {
    return this.#post("path", request, options);
  }

  /**
   * Answers a question about the code as a whole, with evidence: what would break if something changed and which tests
   * reach it, who calls it through the chain, how one thing reaches another, what depends on a folder.
   */
  research(request: api.ResearchRequest, options?: CallOptions): Promise<api.ResearchResponse> {
    return this.#post("research", request, options);
  }

  /** Code by id: `path:Outer.inner`, `path`, `path:42`, `path:10-20`. */
  retrieve(request: api.RetrieveRequest, options?: CallOptions): Promise<api.RetrieveResponse> {
    return this.#post("retrieve", request, options);
  }

  /** Code like that at a place. */
  similar(request: api.SimilarRequest, options?: CallOptions): Promise<api.SimilarResponse> {
    return this.#post("similar", request, options);
  }

  /** What a file or folder defines. */
  outline(request: api.OutlineRequest = {}, options?: CallOptions): Promise<api.OutlineResponse> {
    return this.#post("outline", request, options);
  }

  /** Lines of indexed files that a regular expression finds. */
  grep(request: api.GrepRequest, options?: CallOptions): Promise<api.GrepResponse> {
    return this.#post("grep", request, options);
  }

  /** What is indexed, how fresh it is and what was left out. */
  status(request: api.StatusRequest = {}, options?: CallOptions): Promise<api.StatusResponse> {
    return this.#post("status", request, options);
  }

  /** LocAgent's `search_code_snippets`: Python code by names, ids, words and lines. */
  locagentSearch(
    request: api.LocagentSearchRequest,
    options?: CallOptions,
  ): Promise<api.LocagentSearchResponse> {
    return this.#post("locagent_search", request, options);
  }

  /** LocAgent's `explore_tree_structure`: a tree of what Python entities contain, import, invoke and inherit. */
  locagentExplore(
    request: api.LocagentExploreRequest,
    options?: CallOptions,
  ): Promise<api.LocagentExploreResponse> {
    return this.#post("locagent_explore", request, options);
  }

  /** LocAgent's `get_entity_contents`: the code of Python entities by exact id. */
  locagentRetrieve(
    request: api.LocagentRetrieveRequest,
    options?: CallOptions,
  ): Promise<api.LocagentRetrieveResponse> {
    return this.#post("locagent_retrieve", request, options);
  }

  /** LocAgent's graph of the Python files: its nodes or its edges, a page at a time. */
  locagentGraph(
    request: api.LocagentGraphRequest = {},
    options?: CallOptions,
  ): Promise<api.LocagentGraphResponse> {
    return this.#post("locagent_graph", request, options);
  }

  /** Projects that are open. */
  projects(options?: CallOptions): Promise<api.ListProjectsResponse> {
    return this.#call("GET", "/api/v1/projects", undefined, options);
  }

  /** A project, by name or by a path in it. */
  async project(name: string, options?: CallOptions): Promise<api.GetProjectResponse> {
    return this.#call("GET", `/api/v1/projects/${segment("name", name)}`, undefined, options);
  }

  /**
   * Opens a folder: it is indexed and kept up to date. It answers at once; {@link Cds.ready} tells when all is there.
   * The folder is one of the daemon's machine, below one that the daemon allows.
   */
  openProject(root: string, options?: CallOptions): Promise<api.OpenProjectResponse> {
    const request: api.OpenProjectRequest = { root };
    return this.#call("POST", "/api/v1/projects", request, options);
  }

  /** Stops keeping a project. Its index stays on disk. */
  async closeProject(name: string, options?: CallOptions): Promise<api.CloseProjectResponse> {
    return this.#call("DELETE", `/api/v1/projects/${segment("name", name)}`, undefined, options);
  }

  /**
   * Brings an index up to date, and answers when it is. The daemon sets no limit to that, so the client's does not count:
   * only one that is given here.
   */
  refresh(request: api.RefreshRequest = {}, options?: CallOptions): Promise<api.RefreshResponse> {
    return this.#post("refresh", request, { ...options, timeoutMs: options?.timeoutMs ?? 0 });
  }

  /** Indexes in the background. A request equal to one that has not ended is merged with it. */
  index(request: api.IndexRequest = {}, options?: CallOptions): Promise<api.IndexResponse> {
    return this.#post("tasks", request, options);
  }

  /** Tasks, the newest first. */
  tasks(options?: CallOptions): Promise<api.ListTasksResponse> {
    return this.#call("GET", "/api/v1/tasks", undefined, options);
  }

  /** A task as it stands. */
  async task(id: string, options?: CallOptions): Promise<api.GetTaskResponse> {
    return this.#call("GET", `/api/v1/tasks/${segment("id", id)}`, undefined, options);
  }

  /** Asks a task to stop. The answer is the task as it stood: follow it to see its end. */
  async cancelTask(id: string, options?: CallOptions): Promise<api.CancelTaskResponse> {
    return this.#post(`tasks/${segment("id", id)}/cancel`, undefined, options);
  }

  /**
   * A task, each time it changes, until it ends; the last one is the task at its end. One that was merged is followed
   * by the task that does its work. A timeout is for the first word only: a task may take long.
   */
  async *follow(id: string, options?: CallOptions): AsyncGenerator<api.Task, void, undefined> {
    let next: string | undefined = id;
    while (next !== undefined) {
      let last: api.Task | undefined;
      for await (const task of this.#events(next, options)) {
        last = task;
        yield task;
      }
      if (last === undefined || isOpen(last)) {
        throw new CdsError(`the events of task ${next} ended before it did: ask for the task`, {
          status: 0,
          code: "connection",
        });
      }
      next = last.state === "merged" ? (last.merged_into ?? undefined) : undefined;
    }
  }

  /** Whether the daemon lives. Needs no token. */
  health(options?: CallOptions): Promise<Health> {
    return this.#call("GET", "/health", undefined, options);
  }

  /** Whether every project can be asked. That some cannot yet is an answer, not an error. */
  ready(options?: CallOptions): Promise<Ready> {
    return this.#call("GET", "/ready", undefined, options, isReady);
  }

  #post<T>(name: string, request: object | undefined, options: CallOptions | undefined): Promise<T> {
    return this.#call("POST", `/api/v1/${name}`, request, options);
  }

  async #call<T>(
    method: string,
    path: string,
    body: object | undefined,
    options: CallOptions | undefined,
    isAnswer?: (body: unknown) => boolean,
  ): Promise<T> {
    // What JSON cannot say is the caller's fault, and is told as it is.
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const clock = this.#clock(options);
    try {
      const response = await this.#send(method, path, sent, clock);
      const text = await response.text();
      if (response.ok && text === "") {
        return undefined as T;
      }
      const value = parsed(text);
      if ((response.ok && value !== undefined) || isAnswer?.(value) === true) {
        return value as T;
      }
      throw fault(response.status, value, this.url);
    } catch (error) {
      throw clock.reason(error);
    } finally {
      clock.stop();
    }
  }

  #clock(options: CallOptions | undefined): Clock {
    const timeoutMs = milliseconds(options?.timeoutMs) ?? this.#timeoutMs;
    const clock = new Clock(this.url, options?.signal);
    clock.set(timeoutMs);
    return clock;
  }

  #send(method: string, path: string, body: string | undefined, clock: Clock): Promise<Response> {
    return this.#fetch(this.url + path, {
      method,
      // A request that is sent elsewhere may lose its body and would show the token to a stranger.
      redirect: "error",
      signal: clock.signal,
      headers: body === undefined ? this.#headers : { ...this.#headers, "content-type": "application/json" },
      ...(body === undefined ? {} : { body }),
    });
  }

  async *#events(id: string, options: CallOptions | undefined): AsyncGenerator<api.Task, void, undefined> {
    const path = `/api/v1/tasks/${segment("id", id)}/events`;
    const clock = this.#clock(options);
    try {
      const response = await this.#send("GET", path, undefined, clock);
      if (!response.ok || response.body === null) {
        throw fault(response.status, parsed(await response.text()), this.url);
      }
      const reader = response.body.getReader();
      const events = new Events();
      for (;;) {
        clock.set(SILENCE_MS);
        const { done, value } = await reader.read();
        // Whoever follows may take long over a task. That is not the daemon's silence.
        clock.set(0);
        if (done) {
          return;
        }
        for (const data of events.take(value)) {
          const task = parsed(data) as api.Task | undefined;
          if (task === undefined) {
            throw fault(response.status, undefined, this.url);
          }
          yield task;
        }
      }
    } catch (error) {
      throw clock.reason(error);
    } finally {
      // Whoever leaves early leaves no connection behind.
      clock.end();
    }
  }
}

/** Ends one request: when its time is up, or when its caller says so. */
class Clock {
  readonly #controller = new AbortController();
  readonly #url: string;
  readonly #theirs: AbortSignal | undefined;
  readonly #abort = () => this.#controller.abort(this.#theirs?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #late: CdsError | undefined;

  constructor(url: string, theirs: AbortSignal | undefined) {
    this.#url = url;
    this.#theirs = theirs;
    if (theirs?.aborted === true) {
      this.#abort();
    } else {
      theirs?.addEventListener("abort", this.#abort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** So long from now on; 0: for ever. */
  set(timeoutMs: number): void {
    clearTimeout(this.#timer);
    if (timeoutMs > 0) {
      this.#timer = setTimeout(() => {
        this.#late = new CdsError(`no answer from ${this.#url} within ${timeoutMs} ms`, { status: 0, code: "timeout" });
        this.#controller.abort(this.#late);
      }, timeoutMs);
    }
  }

  /** What the caller should be told, where a request failed so. */
  reason(error: unknown): unknown {
    if (error instanceof CdsError) {
      return error;
    }
    if (this.#late !== undefined) {
      return this.#late;
    }
    if (this.#theirs?.aborted === true) {
      return this.#theirs.reason;
    }
    return unreachable(this.#url, error);
  }

  /** Signals outlive calls, so nothing of a call is left on them. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#theirs?.removeEventListener("abort", this.#abort);
  }

  /** The same, and the connection goes too. */
  end(): void {
    this.stop();
    this.#controller.abort();
  }
}

/** How platforms say that nobody answered differs; what stands behind it says most. */
function unreachable(url: string, error: unknown): CdsError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { code?: unknown } | undefined)?.code;
  const why = typeof code === "string" ? code : cause instanceof Error ? cause.message : String(cause);
  const message = `cds does not answer at ${url} (${why}): start it with \`cds serve\`, or give its url`;
  return new CdsError(message, { status: 0, code: "connection", cause: error });
}

/** What an answer that is none says about why. */
function fault(status: number, body: unknown, url: string): CdsError {
  const error = (body as Partial<api.Fault> | null | undefined)?.error;
  if (typeof error?.code === "string" && typeof error.message === "string") {
    return new CdsError(error.message, { status, code: error.code, data: error.data });
  }
  return new CdsError(`${url} answered ${status}, and not as cds does`, { status, code: "bad_answer" });
}

/** JSON, or nothing where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isReady(body: unknown): boolean {
  return typeof (body as Partial<Ready> | null | undefined)?.ready === "boolean";
}

function isOpen(task: api.Task): boolean {
  return task.state === "pending" || task.state === "running";
}

/** A name as one step of a path. One that means "here" or "above" would be taken out of the path on the way. */
function segment(field: string, given: string): string {
  if (given === "" || given === "." || given === "..") {
    const received = JSON.stringify(given);
    throw new CdsError(`${field}: expected a name, received ${received}`, {
      status: 0,
      code: "invalid_parameter",
      data: { field, expected: "a name", received },
    });
  }
  return encodeURIComponent(given);
}

function milliseconds(given: number | undefined): number | undefined {
  if (given !== undefined && !(given >= 0 && given <= 0x7fffffff)) {
    // A timer of more than that would fire at once.
    throw new TypeError(`timeoutMs: expected 0 to ${0x7fffffff}, received ${given}`);
  }
  return given;
}
