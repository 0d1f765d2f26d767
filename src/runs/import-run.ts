import type { EvalResult } from "../core/index.js";
import type { FormatName } from "../store/index.js";

/** Options of `importRun`. */
export interface ImportRunOptions {
  /** Results files of one format, or folders of them. */
  files: readonly string[];
  /** Default: detected from the content of the files. */
  format?: FormatName;
  /** Where to store the run. */
  runsDir: string;
  title?: string;
  /** Called periodically with the number of records read. */
  onProgress?: (progress: ImportProgress) => void;
}

/** Progress of an import. */
export interface ImportProgress {
  records: number;
  /** Reading comes first, then writing. */
  phase: "reading" | "writing";
}

/** A run made of the results of another tool. */
export interface ImportedRun {
  result: EvalResult;
  /** Format of the files. */
  format: FormatName;
}

/**
 * Creates a run from the results of another tool, so that it can be reported, shown and compared. Nothing is run or graded:
 * what passed there passes here.
 * @example
 * const { result } = await importRun({ files: ["results.json"], runsDir: ".assay/runs" });
 * console.log(result.toTable());
 */
export async function importRun(options: ImportRunOptions): Promise<ImportedRun> {
  const { importResults } = await import("./import-results.js");
  return importResults(options);
}
