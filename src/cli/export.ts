import "../builtins.js";
import { resolve } from "node:path";
import { EXIT, UsageError } from "../core/errors.js";
import {
  type ExportFormat,
  type ExportOptions,
  type ExportRunOptions,
  exportPieces,
  exportRun,
} from "../runs/export-run.js";
import { findRun } from "../store/run-folder.js";
import { endsCleanly } from "./ends-cleanly.js";
import { evidenceIn } from "./eval-files.js";
import { say, writeResult } from "./streams.js";

export interface ExportFlags {
  format: string;
  out?: string;
  withOutputs?: boolean;
  force?: boolean;
  runsDir: string;
}

export async function exportCommand(run: string, flags: ExportFlags): Promise<number> {
  const { out, force = false, withOutputs = false, runsDir } = flags;
  if (force && out === undefined) throw new UsageError("--force requires --out: there is no file to overwrite.");
  const dir = resolve(findRun({ runsDir, name: run, isCandidate: () => true }));
  const options: ExportOptions = { dir, format: flags.format as ExportFormat, withOutputs, evidenceIn };
  return endsCleanly(() => (out === undefined ? toStdout(options) : toFile({ ...options, out, force })));
}

async function toFile(options: ExportRunOptions): Promise<number> {
  const { file, notes } = await exportRun(options);
  for (const note of notes) say(note);
  say(`Written: ${file}`);
  return EXIT.fine;
}

async function toStdout(options: ExportOptions): Promise<number> {
  const pieces = await exportPieces(options, say);
  if (Symbol.iterator in pieces) await writeResult(pieces);
  else for await (const piece of pieces) await writeResult(piece);
  return EXIT.fine;
}
