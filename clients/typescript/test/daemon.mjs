// A real daemon on folders of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const BINARY = process.env.CDS_BIN ?? fileURLToPath(new URL("../../../target/debug/cds", import.meta.url));

/** A folder with these files. */
export async function folder(files) {
  // As the daemon will call it: on some machines the temporary folder is a link.
  const root = await realpath(await mkdtemp(join(tmpdir(), "cds-client-")));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

/** Serves folders. Nothing that the developer has set reaches the daemon. */
export async function serve(args, { token, home }) {
  const mine = Object.entries(process.env).filter(([name]) => !name.startsWith("CDS_"));
  const env = { ...Object.fromEntries(mine), HOME: home, XDG_CONFIG_HOME: home, ...(token && { CDS_TOKEN: token }) };
  const child = spawn(BINARY, ["serve", "--port", "0", ...args], { env, cwd: home, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  const failed = new Promise((_, reject) => {
    child.once("error", (error) => reject(new Error(`${BINARY}: ${error.message}: build cds, or set CDS_BIN`)));
    child.once("exit", (code) => reject(new Error(`cds serve ended with ${code}: ${said}`)));
  });
  failed.catch(() => {});
  const lines = createInterface({ input: child.stdout });
  const listening = async () => {
    for (;;) {
      const [line] = await once(lines, "line");
      const url = /^listening on (http:\S+)/.exec(line)?.[1];
      if (url !== undefined) {
        return url;
      }
    }
  };
  const url = await Promise.race([listening(), failed]);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      process.kill(child.pid);
      const forced = setTimeout(() => process.kill(child.pid, "SIGKILL"), 15_000);
      await ended;
      clearTimeout(forced);
    }
  };
  return { url, stop };
}

/** Until every project can be asked. */
export async function settled(cds) {
  for (let tries = 0; tries < 600; tries += 1) {
    const { ready, projects } = await cds.ready();
    if (ready) {
      return projects;
    }
    await sleep(50);
  }
  throw new Error("the index was not made within 30 s");
}
