import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

/** Node 20 cannot load TypeScript in a thread, so that the sources are read through jiti. */
const START_TYPESCRIPT = `
const { jiti, entry } = require("node:worker_threads").workerData;
require(jiti).createJiti(entry, { interopDefault: false }).import(entry);
`;

/** Starts a thread from a module: the bundled `.js`, or the `.ts` of the same name where there is no bundle. */
export function startThread(entry: URL, memoryMib: number): Worker {
  const file = fileURLToPath(entry);
  // Flags of the process, such as a module to import first, are not meant for its threads.
  const options: WorkerOptions = { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: memoryMib } };
  const source = file.replace(/\.js$/, ".ts");
  if (existsSync(file) || !existsSync(source)) return new Worker(entry, options);
  const jiti = createRequire(import.meta.url).resolve("jiti");
  return new Worker(START_TYPESCRIPT, { ...options, eval: true, workerData: { jiti, entry: source } });
}
