import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Finished } from "./assay.js";

const HOST = fileURLToPath(new URL("../../test/command-host.mjs", import.meta.url));

/** Processes kept for the next command: starting one and loading everything takes most of the time of a short command. */
const idle: ChildProcess[] = [];
/** More would only compete for the processor. */
const MOST_AT_A_TIME = 2;
let busy = 0;
const waiting: (() => void)[] = [];

/**
 * Runs the built command line in a process that may have run it before. For tests of a command's output and files; where
 * the process itself is tested (signals, streams, exit), use `runAssay` or `startAssay`. Loaded modules stay loaded, so tests
 * that change a module must use those, too. A process in which a command registered something is not reused.
 */
export function warmAssay(cwd: string, ...args: string[]): Promise<Finished> {
  return warm(cwd, args);
}

/** The same with additional environment variables. */
export async function warm(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  let host: ChildProcess | null = null;
  onTestFinished(() => void host?.kill("SIGKILL"));
  await takePlace();
  try {
    host = idle.pop() ?? (await startHost());
    const answer = answerOf(host);
    host.send({ cwd, args, env: { ...process.env, NO_COLOR: "1", ...env } });
    const { isAsNew, ...ended } = (await answer) as Omit<Finished, "signal"> & { isAsNew: boolean };
    if (isAsNew) idle.push(host);
    else host.kill("SIGKILL");
    host = null;
    return { ...ended, signal: null };
  } finally {
    givePlace();
  }
}

async function takePlace(): Promise<void> {
  if (busy < MOST_AT_A_TIME) busy += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
}

/** Passes the slot to the next waiting call, if any. */
function givePlace(): void {
  const next = waiting.shift();
  if (next === undefined) busy -= 1;
  else next();
}

async function startHost(): Promise<ChildProcess> {
  const host = fork(HOST, { stdio: ["ignore", "pipe", "pipe", "ipc"], execArgv: [] });
  await answerOf(host);
  // It ends with the test process, and does not keep that from ending.
  host.unref();
  host.channel?.unref();
  return host;
}

function answerOf(host: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onEnd = () => {
      host.off("message", onMessage);
      reject(new Error("the command process exited: use `runAssay` for a command that exits its process"));
    };
    const onMessage = (message: unknown) => {
      host.off("exit", onEnd);
      resolve(message);
    };
    host.once("message", onMessage);
    host.once("exit", onEnd);
  });
}
