import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "../core/errors.js";
import type { EvalResult } from "../core/result.js";
import { didYouMean } from "../core/suggest.js";
import { type EvidenceOf, junitXml } from "../report/eval/junit.js";
import { jsonReporter } from "../report/json.js";
import type { Pieces } from "../store/history/index.js";
import { readManifest } from "../store/journal.js";
import { loadRun } from "./load-run.js";

/** The formats a run can be exported to. */
export const EXPORT_FORMATS = ["csv", "parquet", "json", "junit"] as const;

/** A format that `exportRun` writes. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Which run is exported, and in which format. */
export interface ExportOptions {
  /** The run folder. */
  readonly dir: string;
  readonly format: ExportFormat;
  /** CSV and Parquet: with what was asked, answered and found. */
  readonly withOutputs?: boolean;
  /** JUnit: what was found against trials, in words. */
  readonly evidenceIn?: (result: EvalResult) => EvidenceOf;
}

/** Options of `exportRun`. */
export interface ExportRunOptions extends ExportOptions {
  /** The file to write. */
  readonly out: string;
  /** Overwrite it. */
  readonly force?: boolean;
}

/** What came of an export. */
export interface ExportedRun {
  readonly file: string;
  /** What was left out, such as a torn last line. */
  readonly notes: readonly string[];
}

/**
 * Writes a stored run to a file for other programs. The file is there when it is whole, and one that was there before is
 * kept unless `force` says otherwise.
 * @example
 * await exportRun({ dir: ".assay/runs/20261115-213334-needle", format: "parquet", out: "needle.parquet" });
 */
export async function exportRun({ out, force = false, ...options }: ExportRunOptions): Promise<ExportedRun> {
  const notes: string[] = [];
  const note = (text: string) => notes.push(text);
  const file = requireWritable(out, force);
  const { dir, format, withOutputs = false } = requireExport(options);
  const { writeAside, writeParquet, writePieces } = await import("../store/history/index.js");
  if (format === "parquet") await writeAside(file, (path) => writeParquet({ dir, withOutputs, note }, path));
  else await writePieces(file, await exportPieces(options, note));
  return { file: out, notes };
}

/** A stored run as text for other programs, piece by piece; `note` is told what was left out. */
export async function exportPieces(options: ExportOptions, note: (text: string) => void): Promise<Pieces> {
  const { dir, format, withOutputs = false, evidenceIn } = requireExport(options);
  if (format === "parquet") throw new UsageError("Parquet is not text: name a file for it (--out FILE).");
  if (format === "csv") return (await import("../store/history/index.js")).csvPieces({ dir, withOutputs, note });
  const result = await loadRun(dir);
  if (format === "json") return jsonReporter.render(result);
  return junitXml(result, evidenceIn?.(result));
}

/** Names the format if there is one, and the run if it is one, before anything is read. */
function requireExport(options: ExportOptions): ExportOptions {
  const { dir, format, withOutputs = false } = options;
  if (!EXPORT_FORMATS.includes(format))
    throw new UsageError(`There is no format "${String(format)}".${didYouMean(String(format), EXPORT_FORMATS)}`);
  if (withOutputs && format !== "csv" && format !== "parquet")
    throw new UsageError(`--with-outputs is for csv and parquet: ${format} is a report of fixed shape. Leave it out.`);
  readManifest(dir);
  return options;
}

function requireWritable(out: string, force: boolean): string {
  const file = resolve(out);
  if (!existsSync(dirname(file)))
    throw new UsageError(`There is no folder ${dirname(out)} to write ${out} to. Make it first.`);
  if (existsSync(file) && statSync(file).isDirectory()) throw new UsageError(`${out} is a folder. Name a file in it.`);
  if (existsSync(file) && !force)
    throw new UsageError(`${out} is there already. Name another file, or overwrite it: --force.`);
  return file;
}
