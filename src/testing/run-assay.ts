import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { EffortCurve, FrontierReport, SequentialReport } from "../core/index.js";

/** The launcher of the built command line; scripts/test.mjs makes sure that the build is fresh. */
export const LAUNCHER = fileURLToPath(new URL("../../bin/assay.js", import.meta.url));

export interface FinishedCommand {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunningCommand {
  child: ChildProcess;
  finished: Promise<FinishedCommand>;
  /** Resolves when stderr contains the text; rejects if the process ends without it. */
  says(text: string): Promise<void>;
}

export function startAssay(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningCommand {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return watchCommand(child);
}

export function runAssay(cwd: string, ...args: string[]): Promise<FinishedCommand> {
  return startAssay(cwd, args).finished;
}

/** Collects the output of a child process with piped streams. */
export function watchCommand(child: ChildProcess): RunningCommand {
  const said = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
      for (const check of waiting) check();
    });
  }
  const finished = new Promise<FinishedCommand>((resolve, reject) => {
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

export interface PrintedReport {
  schema: string;
  run: string | null;
  config: Record<string, unknown> & { title: string; seed: number; trials: number; datasets: { examples: number }[] };
  summary: Record<string, Record<string, number | string | null>>;
  notes: string[];
  frontier: FrontierReport | null;
  /** Absent for a run of every task. */
  sequential?: SequentialReport;
  effortCurves: EffortCurve[];
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

export function parseReport({ stdout, stderr }: FinishedCommand): PrintedReport {
  try {
    return JSON.parse(stdout) as PrintedReport;
  } catch (cause) {
    throw new Error(`stdout is not JSON: ${stdout.slice(0, 500)}\nstderr: ${stderr.slice(0, 500)}`, { cause });
  }
}
