import "../builtins.js";
import { resolve } from "node:path";
import { EXIT, UsageError } from "../core/index.js";
import { type ExportFormat, type ExportOptions, type ExportRunOptions, exportRun, openExport } from "../runs/index.js";
import { findRun } from "../store/index.js";
import { createEvidenceReader } from "./eval-files.js";
import { exitOnSignal } from "./interrupt.js";
import { printNote, writeResult } from "./streams.js";

export interface ExportFlags {
  format: string;
  out?: string;
  withOutputs?: boolean;
  force?: boolean;
  runsDir: string;
}

export async function executeExport(run: string, flags: ExportFlags): Promise<number> {
  const { out, force = false, withOutputs = false, runsDir } = flags;
  if (force && out === undefined) throw new UsageError("--force requires --out: there is no file to overwrite.");
  const dir = resolve(findRun({ runsDir, name: run, onNote: printNote }));
  const options: ExportOptions = {
    dir,
    format: flags.format as ExportFormat,
    withOutputs,
    evidenceIn: createEvidenceReader,
  };
  return exitOnSignal(() => (out === undefined ? exportToStdout(options) : exportToFile({ ...options, out, force })));
}

async function exportToFile(options: ExportRunOptions): Promise<number> {
  const { file, notes } = await exportRun(options);
  for (const note of notes) printNote(note);
  printNote(`Written: ${file}`);
  return EXIT.fine;
}

async function exportToStdout(options: ExportOptions): Promise<number> {
  const pieces = await openExport(options, printNote);
  if (Symbol.iterator in pieces) await writeResult(pieces);
  else for await (const piece of pieces) await writeResult(piece);
  return EXIT.fine;
}
