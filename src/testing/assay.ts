import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The launcher of the built command line; scripts/test.mjs makes sure that the build is fresh. */
export const LAUNCHER = fileURLToPath(new URL("../../bin/assay.js", import.meta.url));

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  finished: Promise<Finished>;
  /** Resolves when stderr contains the text; rejects if the process ends without it. */
  says(text: string): Promise<void>;
}

export function start(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return watch(child);
}

export function assay(cwd: string, ...args: string[]): Promise<Finished> {
  return start(cwd, args).finished;
}

/** Collects the output of a child process with piped streams. */
export function watch(child: ChildProcess): Running {
  const said = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
      for (const check of waiting) check();
    });
  }
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, ...said }));
  });
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (said.stderr.includes(text)) resolve();
      };
      waiting.add(check);
      check();
      finished.then(() => reject(new Error(`ended without saying "${text}":\n${said.stderr}`)), reject);
    });
  return { child, finished, says };
}

export interface Report {
  schema: string;
  run: string | null;
  config: Record<string, unknown> & { title: string; seed: number; trials: number; datasets: { examples: number }[] };
  summary: Record<string, Record<string, number | string | null>>;
  notes: string[];
  rows: (Record<string, unknown> & {
    system: string;
    exampleId: string | number;
    trial: number;
    outcome: string;
    scores: Record<string, number>;
    attempts: { message: string }[];
    notes: string[];
  })[];
}

export function reportOf({ stdout, stderr }: Finished): Report {
  try {
    return JSON.parse(stdout) as Report;
  } catch (cause) {
    throw new Error(`stdout is not JSON: ${stdout.slice(0, 500)}\nstderr: ${stderr.slice(0, 500)}`, { cause });
  }
}
