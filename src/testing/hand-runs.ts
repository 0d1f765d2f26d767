import type { QueryRow } from "../store/history/query.js";
import { queryRuns } from "../store/history/query-runs.js";
import { type TestRun, writeTestRun } from "../store/history/run-testing.js";
import { Workspace } from "./workspace.js";

/** Writes run folders without running anything. */
export function handRuns(...runs: readonly TestRun[]): Workspace {
  const space = new Workspace();
  for (const [index, run] of runs.entries()) writeTestRun(space.path("runs", `run-${index}`), run);
  return space;
}

export async function ask(space: Workspace, sql: string): Promise<readonly QueryRow[]> {
  const { rows } = await queryRuns({ runsDir: space.path("runs"), sql });
  return rows;
}
