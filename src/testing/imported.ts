import type { EvalResult } from "../core/result.js";
import { importRun } from "../runs/import-run.js";
import { TempProject, type TestFileContent } from "./workspace.js";

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
