import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { EvalResult } from "../core/index.js";
import { didYouMean, omitUndefined, UsageError } from "../core/index.js";
import { type EvidenceReader, jsonReporter, renderJunitXml, toAtif } from "../report/index.js";
import type { TextPieces } from "../store/index.js";
import { encodeExampleKey, encodeKey, readExamples, readManifest, readOutputs } from "../store/index.js";
import { loadRun, readCountedRows } from "./load-run.js";

/** Formats that `exportRun` writes. */
export const EXPORT_FORMATS = ["csv", "parquet", "json", "junit", "atif"] as const;

/** A format that `exportRun` writes. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Which run to export, and the format. */
export interface ExportOptions {
  /** The run folder. */
  readonly dir: string;
  readonly format: ExportFormat;
  /** For CSV and Parquet: include inputs, outputs and evidence. */
  readonly withOutputs?: boolean;
  /** For JUnit: returns a function that describes why trials failed. */
  readonly evidenceIn?: (result: EvalResult) => EvidenceReader;
}

/** Options of `exportRun`. */
export interface ExportRunOptions extends ExportOptions {
  /** The file to write. */
  readonly out: string;
  /** Overwrite an existing file. */
  readonly force?: boolean;
}

/** Result of `exportRun`. */
export interface ExportedRun {
  readonly file: string;
  /** What was left out, such as an incomplete last line. */
  readonly notes: readonly string[];
}

/**
 * Writes a stored run to a file for other programs. The file appears only when complete, and an existing file is kept
 * unless `force` is set.
 * @example
 * await exportRun({ dir: ".assay/runs/20261115-213334-needle", format: "parquet", out: "needle.parquet" });
 */
export async function exportRun({ out, force = false, ...options }: ExportRunOptions): Promise<ExportedRun> {
  const notes: string[] = [];
  const note = (text: string) => notes.push(text);
  const file = requireWritable(out, force);
  const { dir, format, withOutputs = false } = requireExportOptions(options);
  const { writeViaTemporary, writeTrialsParquet, writePieces } = await import("../store/history/index.js");
  if (format === "parquet")
    await writeViaTemporary(file, (path) => writeTrialsParquet({ dir, withOutputs, note }, path));
  else await writePieces(file, await openExport(options, note));
  return { file: out, notes };
}

/** A stored run as text, in pieces; `note` receives what was left out. */
export async function openExport(options: ExportOptions, note: (text: string) => void): Promise<TextPieces> {
  const { dir, format, withOutputs = false, evidenceIn } = requireExportOptions(options);
  if (format === "parquet") throw new UsageError("Parquet is binary: write it to a file with --out FILE.");
  if (format === "csv") return (await import("../store/history/index.js")).streamTrialsCsv({ dir, withOutputs, note });
  if (format === "atif") return streamAtif(dir, note);
  const result = await loadRun(dir);
  if (format === "json") return jsonReporter.render(result);
  return renderJunitXml(result, evidenceIn?.(result));
}

/** One trajectory in each line, in the order in which their outputs were stored. */
function* streamAtif(dir: string, note: (text: string) => void): Generator<string> {
  const manifest = readManifest(dir);
  const rows = new Map(readCountedRows(dir, manifest).rows.map((row) => [encodeKey(row), row]));
  const questions = new Map(
    Array.from(readExamples(dir), ({ dataset, id, question }) => [encodeExampleKey(dataset, id), question]),
  );
  let left = rows.size;
  for (const { output, ...key } of readOutputs(dir)) {
    const row = rows.get(encodeKey(key));
    if (row === undefined) continue;
    left -= 1;
    const { model, harness } = manifest.systems[row.system] ?? {};
    const question = questions.get(encodeExampleKey(row.dataset, row.exampleId));
    const known = omitUndefined({ model, harness, question });
    yield `${JSON.stringify(toAtif({ runId: manifest.runId, row, output, ...known }))}\n`;
  }
  if (left > 0) note(`trials without a stored output, which have no trajectory: ${left}`);
}

/** Checks the format and the run folder before anything is read. */
function requireExportOptions(options: ExportOptions): ExportOptions {
  const { dir, format, withOutputs = false } = options;
  if (!EXPORT_FORMATS.includes(format))
    throw new UsageError(`Unknown format "${String(format)}".${didYouMean(String(format), EXPORT_FORMATS)}`);
  if (withOutputs && format !== "csv" && format !== "parquet")
    throw new UsageError(`--with-outputs applies to csv and parquet: ${format} has a fixed shape. Remove it.`);
  readManifest(dir);
  return options;
}

function requireWritable(out: string, force: boolean): string {
  const file = resolve(out);
  if (!existsSync(dirname(file)))
    throw new UsageError(`The folder ${dirname(out)} for ${out} does not exist. Create it first.`);
  if (existsSync(file) && statSync(file).isDirectory())
    throw new UsageError(`${out} is a folder. Give the name of a file in it.`);
  if (existsSync(file) && !force)
    throw new UsageError(`${out} already exists. Choose another name, or overwrite it with --force.`);
  return file;
}
