import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Verdict } from "../core/grader.js";
import type { TrajectoryEvent } from "../core/trajectory.js";
import type { GradedInput } from "./graded-workspace.js";
import { graderFactories } from "./index.js";

export function makeGradedFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "assay-graders-")));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Default: an empty output without a workspace. */
export function makeGraded(parts: Partial<GradedInput> = {}): GradedInput {
  return {
    example: { id: 1, question: "Do it." },
    output: {},
    workspace: null,
    env: { PATH: process.env.PATH ?? "" },
    signal: new AbortController().signal,
    ...parts,
  };
}

export async function runBuiltInGrader(
  type: string,
  config: Readonly<Record<string, unknown>>,
  parts?: Partial<GradedInput>,
): Promise<Verdict> {
  const factory = graderFactories[type];
  if (factory === undefined) throw new Error(`no grader ${type}`);
  return factory(config).grade(makeGraded(parts));
}

export function classifyVerdict({ passed, status = "ok" }: Verdict): "pass" | "fail" | "error" {
  return status === "error" ? "error" : passed ? "pass" : "fail";
}

export function findConfigProblem(type: string, config: Readonly<Record<string, unknown>>): string {
  try {
    graderFactories[type]?.(config);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

/** Makes a trajectory whose events are one second apart. */
export function makeTrajectory(...events: readonly { type: string; [key: string]: unknown }[]): {
  events: TrajectoryEvent[];
  startedAt: number;
} {
  return { startedAt: 1000, events: events.map((event, index) => ({ timestamp: 1000 * (index + 2), ...event })) };
}
