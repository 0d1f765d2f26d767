import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import { getErrorMessage, UsageError } from "../core/index.js";
import { stripSecrets } from "../queue/index.js";
import type { RunConfig } from "./run-config.js";

/** Keeps the password out of commands and files. */
const PASSWORD_VARIABLE = "ASSAY_QUEUE_PASSWORD";

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** From --queue or ASSAY_QUEUE. */
export function requireQueueUrl(given: string | undefined, env: EnvironmentVariables = process.env): string {
  const url = given ?? env.ASSAY_QUEUE;
  if (url === undefined || url === "")
    throw new UsageError("No queue is given. Add --queue redis://HOST:6379, or set ASSAY_QUEUE.");
  return resolveQueueUrl(url, env);
}

/** The checked address of a Redis, with the password of the environment if it has none. */
export function resolveQueueUrl(url: string, env: EnvironmentVariables = process.env): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === "")
    throw new UsageError(`"${stripSecrets(url)}" is not a Redis address. Write redis://HOST:6379.`);
  const password = env[PASSWORD_VARIABLE];
  if (password === undefined || password === "" || parsed.password !== "") return url;
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}

/** The queue of a run and the folder for its large outputs. */
export interface RunQueue {
  url: string;
  sharedDir?: string;
}

/** Null without a queue. */
export function resolveRunQueue(config: RunConfig): RunQueue | null {
  const { queue, sharedDir } = config;
  if (queue !== undefined)
    return {
      url: resolveQueueUrl(queue),
      ...(sharedDir === undefined ? {} : { sharedDir: requireSharedFolder(sharedDir) }),
    };
  if (sharedDir === undefined) return null;
  throw new UsageError("--shared-dir (sharedDir) is only for runs with a queue. Add --queue, or remove it.");
}

/** As an absolute path. The folder is not created here: if it is missing, a volume may not be mounted. */
export function requireSharedFolder(dir: string): string {
  const folder = resolve(dir);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`--shared-dir ${folder} does not exist. Create it, or mount it.`);
  if (!stats.isDirectory()) throw new UsageError(`--shared-dir ${folder} is a file, not a folder.`);
  try {
    accessSync(folder, constants.R_OK | constants.W_OK);
  } catch (cause) {
    throw new UsageError(`--shared-dir ${folder} cannot be used: ${getErrorMessage(cause)}.`, { cause });
  }
  return folder;
}

/** Rejects a queue that would be ignored. */
export function requireNoQueue({ queue, sharedDir }: RunConfig, command: string): void {
  const key = queue === undefined ? (sharedDir === undefined ? null : "sharedDir") : "queue";
  if (key === null) return;
  throw new UsageError(
    `The config file sets \`${key}\`, but ${command} runs only on this machine. Choose another file with --config, or remove the key.`,
  );
}
