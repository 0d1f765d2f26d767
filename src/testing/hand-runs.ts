import type { QueryRow } from "../store/history/query.js";
import { queryRuns } from "../store/history/query-runs.js";
import { type TestRun, writeTestRun } from "../store/history/run-testing.js";
import { TempProject } from "./workspace.js";

/** Writes run folders without running anything. */
export function writeFixtureRuns(...runs: readonly TestRun[]): TempProject {
  const space = new TempProject();
  for (const [index, run] of runs.entries()) writeTestRun(space.path("runs", `run-${index}`), run);
  return space;
}

export async function queryFixtureRuns(space: TempProject, sql: string): Promise<readonly QueryRow[]> {
  const { rows } = await queryRuns({ runsDir: space.path("runs"), sql });
  return rows;
}
