import type { EvalResult } from "../core/result.js";
import { importRun } from "../runs/import-run.js";
import { type Content, Workspace } from "./workspace.js";

export interface Imported {
  result: EvalResult;
  format: string;
  dir: string;
}

/** Imports files as one run. */
export async function imported(files: Readonly<Record<string, Content>>): Promise<Imported> {
  const workspace = new Workspace(files);
  const paths = Object.keys(files).map((name) => workspace.path(name));
  const { result, format } = await importRun({ runsDir: workspace.path("runs"), files: paths });
  return { result, format, dir: result.runDir ?? "" };
}
