import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { FinishedCommand } from "./run-assay.js";

const HOST_SCRIPT = fileURLToPath(new URL("../../test/command-host.mjs", import.meta.url));

/** Processes kept for the next command: starting one and loading everything takes most of the time of a short command. */
const idleHosts: ChildProcess[] = [];
/** More would only compete for the processor. */
const MAX_CONCURRENT = 2;
let busyHosts = 0;
const waitingCalls: (() => void)[] = [];

/**
 * Runs the built command line in a process that may have run it before. For tests of a command's output and files; where
 * the process itself is tested (signals, streams, exit), use `runAssay` or `startAssay`. Loaded modules stay loaded, so tests
 * that change a module must use those, too. A process in which a command registered something is not reused.
 */
export function runPooledAssay(cwd: string, ...args: string[]): Promise<FinishedCommand> {
  return runInPool(cwd, args);
}

/** The same with additional environment variables. */
export async function runInPool(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<FinishedCommand> {
  let host: ChildProcess | null = null;
  onTestFinished(() => void host?.kill("SIGKILL"));
  await acquireSlot();
  try {
    host = idleHosts.pop() ?? (await startCliHost());
    const answer = waitForAnswer(host);
    host.send({ cwd, args, env: { ...process.env, NO_COLOR: "1", ...env } });
    const { isAsNew, ...ended } = (await answer) as Omit<FinishedCommand, "signal"> & { isAsNew: boolean };
    if (isAsNew) idleHosts.push(host);
    else host.kill("SIGKILL");
    host = null;
    return { ...ended, signal: null };
  } finally {
    releaseSlot();
  }
}

async function acquireSlot(): Promise<void> {
  if (busyHosts < MAX_CONCURRENT) busyHosts += 1;
  else await new Promise<void>((resolve) => waitingCalls.push(resolve));
}

/** Passes the slot to the next waiting call, if any. */
function releaseSlot(): void {
  const next = waitingCalls.shift();
  if (next === undefined) busyHosts -= 1;
  else next();
}

async function startCliHost(): Promise<ChildProcess> {
  const host = fork(HOST_SCRIPT, { stdio: ["ignore", "pipe", "pipe", "ipc"], execArgv: [] });
  await waitForAnswer(host);
  // It ends with the test process, and does not keep that from ending.
  host.unref();
  host.channel?.unref();
  return host;
}

function waitForAnswer(host: ChildProcess): Promise<unknown> {
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
