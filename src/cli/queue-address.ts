import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf, UsageError } from "../core/errors.js";
import { withoutSecrets } from "../queue/connection.js";
import type { RunConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";

/** Where a password is read from that is not to stand in a command or a file. */
const PASSWORD_VARIABLE = "ASSAY_QUEUE_PASSWORD";

type Environment = Readonly<Record<string, string | undefined>>;

/** The Redis that a command was told of, or that ASSAY_QUEUE names. */
export function queueOf(given: string | undefined, env: Environment = process.env): string {
  const url = given ?? env.ASSAY_QUEUE;
  if (url === undefined || url === "")
    throw new UsageError("There is no queue. Add --queue redis://HOST:6379, or put its address into ASSAY_QUEUE.");
  return queueAddress(url, env);
}

/** The address of a Redis, checked, and with the password of the environment when it has none of its own. */
export function queueAddress(url: string, env: Environment = process.env): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === "")
    throw new UsageError(`"${withoutSecrets(url)}" is not the address of a Redis. Write redis://HOST:6379.`);
  const password = env[PASSWORD_VARIABLE];
  if (password === undefined || password === "" || parsed.password !== "") return url;
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}

/** Where a run over a queue is, and where its large outputs go; null when it is run here. */
export function queuePlaceOf(config: RunConfig): { url: string; sharedDir?: string } | null {
  const { queue, sharedDir } = config;
  if (queue !== undefined)
    return { url: queueAddress(queue), ...(sharedDir === undefined ? {} : { sharedDir: sharedFolder(sharedDir) }) };
  if (sharedDir === undefined) return null;
  throw new UsageError(
    "--shared-dir (sharedDir) is where workers of a queue leave large outputs, and this run has no queue. Add --queue, or leave it out.",
  );
}

/** The folder that machines share, from the root. It is not made here: where it lacks, nothing may be mounted. */
export function sharedFolder(dir: string): string {
  const folder = resolve(dir);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new UsageError(`--shared-dir ${folder} is not there. Make it, or mount it where it is missing.`);
  if (!stats.isDirectory()) throw new UsageError(`--shared-dir ${folder} is a file, not a folder.`);
  try {
    accessSync(folder, constants.R_OK | constants.W_OK);
  } catch (cause) {
    throw new UsageError(`--shared-dir ${folder} cannot be used: ${messageOf(cause)}.`, { cause });
  }
  return folder;
}

/** The same run without a word of a queue: for what is done here in any case. */
export function withoutQueue({ queue: _, sharedDir: __, withoutQueue: ___, ...run }: RunFlags): RunFlags {
  return run;
}

/** Refuses a queue where nobody would make use of it. */
export function requireNoQueue({ queue, sharedDir }: RunConfig, command: string): void {
  const key = queue === undefined ? (sharedDir === undefined ? null : "sharedDir") : "queue";
  if (key === null) return;
  throw new UsageError(
    `The config file says \`${key}\`, but ${command} runs on this machine alone. Name another file with --config, or take it out.`,
  );
}
