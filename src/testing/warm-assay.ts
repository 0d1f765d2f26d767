import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Finished } from "./assay.js";

const HOST = fileURLToPath(new URL("../../test/command-host.mjs", import.meta.url));

/** Processes that are kept for the next command: to start one and load everything is most of what a short one costs. */
const idle: ChildProcess[] = [];
/** More would only be loaded to be waited for. */
const MOST_AT_A_TIME = 2;
let busy = 0;
const waiting: (() => void)[] = [];

/**
 * Runs the built command line to its end in a process that may have run it before. For tests of what a command says,
 * returns and writes; where the process itself is tested (signals, streams, how it ends), use `assay` or `start`. A
 * module that was loaded stays loaded: a test that changes one has to use those, too. What a command registers is not
 * known to the next: its process is not used again.
 */
export function warmAssay(cwd: string, ...args: string[]): Promise<Finished> {
  return warm(cwd, args);
}

/** The same with variables of the environment besides those that are set. */
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

/** Whoever waits next has it; else it is free. */
function givePlace(): void {
  const next = waiting.shift();
  if (next === undefined) busy -= 1;
  else next();
}

async function startHost(): Promise<ChildProcess> {
  const host = fork(HOST, { stdio: ["ignore", "pipe", "pipe", "ipc"], execArgv: [] });
  await answerOf(host);
  // It ends with the process of the tests, and does not keep that from ending.
  host.unref();
  host.channel?.unref();
  return host;
}

function answerOf(host: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onEnd = () => {
      host.off("message", onMessage);
      reject(new Error("the process of the commands ended: use `assay` for a command that ends its process"));
    };
    const onMessage = (message: unknown) => {
      host.off("exit", onEnd);
      resolve(message);
    };
    host.once("message", onMessage);
    host.once("exit", onEnd);
  });
}
