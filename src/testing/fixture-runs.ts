import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EvalResult } from "../core/index.js";
import { importRun } from "../runs/index.js";
import type { Manifest, QueryRow } from "../store/index.js";
import { queryRuns, type TestRun, writeTestRun } from "../store/index.js";
import { TempProject, type TestFileContent } from "./temp-project.js";

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

interface CopiedRun {
  id: string;
  title: string;
  createdAt: Date;
}

/** Copies a stored run within its runs folder, which is far faster than running one. */
function copyRun(dir: string, { id, title, createdAt }: CopiedRun): void {
  const copy = join(dirname(dir), id);
  cpSync(dir, copy, { recursive: true });
  // The card still has the original title.
  rmSync(join(copy, "card.json"), { force: true });
  const path = join(copy, "manifest.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
  const changes = { runId: id, createdAt: createdAt.toISOString(), config: { ...manifest.config, title } };
  writeFileSync(path, JSON.stringify({ ...manifest, ...changes }));
}

/** Makes copies one day apart: `copy-000` is the oldest; titles are `Copy 0`, `Copy 1` and so on. */
export function copyRunTimes(dir: string, count: number): void {
  for (let place = 0; place < count; place++) {
    const createdAt = new Date(Date.UTC(2025, 0, 1 + place));
    copyRun(dir, { id: `copy-${String(place).padStart(3, "0")}`, title: `Copy ${place}`, createdAt });
  }
}

export interface ImportedFixture {
  result: EvalResult;
  format: string;
  dir: string;
}

/** Imports files as one run. */
export async function importFixture(files: Readonly<Record<string, TestFileContent>>): Promise<ImportedFixture> {
  const workspace = new TempProject(files);
  const paths = Object.keys(files).map((name) => workspace.path(name));
  const { result, format } = await importRun({ runsDir: workspace.path("runs"), files: paths });
  return { result, format, dir: result.runDir ?? "" };
}
