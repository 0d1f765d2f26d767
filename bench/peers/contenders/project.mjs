// Small projects of peers, written into the folder of a trial. That folder is inside the peer's own, so that imports resolve.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where programs of peers find the work. */
export const TASK = JSON.stringify(fileURLToPath(new URL("../task.mjs", import.meta.url)));

export function writeProject(dir, files) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
}

/** What `task.mjs` wants to know. */
export function projectEnv({ data, url = "", workers }) {
  return { BENCH_DATA: data, BENCH_URL: url, BENCH_WORKERS: String(workers) };
}

/** What a command is asked to find out how long it takes to start. */
export function flagsOf(entry) {
  return { version: [entry, "--version"], help: [entry, "--help"], imports: [] };
}
