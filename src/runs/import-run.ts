import type { EvalResult } from "../core/result.js";
import type { FormatName } from "../store/import/index.js";

/** Options of `importRun`. */
export interface ImportRunOptions {
  /** Results files of one format, or folders of them. */
  files: readonly string[];
  /** Left out, it is recognised by what the files hold. */
  format?: FormatName;
  /** Where the run folder goes. */
  runsDir: string;
  title?: string;
  /** Told now and then how many records were read. */
  onProgress?: (progress: ImportProgress) => void;
}

/** How far an import is. */
export interface ImportProgress {
  records: number;
  /** Reading comes first, then writing what was read. */
  phase: "reading" | "writing";
}

/** A run made of the results of another tool. */
export interface ImportedRun {
  result: EvalResult;
  /** The format that the files were in. */
  format: FormatName;
}

/**
 * Makes a run of the results of another tool, so that it can be reported, shown and compared like any other. Nothing is
 * run and nothing is graded: what passed there passes here.
 * @example
 * const { result } = await importRun({ files: ["results.json"], runsDir: ".assay/runs" });
 * console.log(result.toTable());
 */
export async function importRun(options: ImportRunOptions): Promise<ImportedRun> {
  const { importResults } = await import("./import-results.js");
  return importResults(options);
}
