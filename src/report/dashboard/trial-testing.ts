import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Example } from "../../core/example.js";
import { type EvalRow, makeRow, type RowInit } from "../../core/row.js";
import type { Output } from "../../core/system.js";
import { RunJournal } from "../../store/journal.js";
import { makeManifest } from "../../testing/make-run.js";

/** Creates a folder that is removed after the test. */
export function createEmptyFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "assay-views-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

type JournalTrial = Parameters<RunJournal["append"]>[0];

export interface WrittenTrial extends Partial<Omit<JournalTrial, "row" | "output">> {
  row: RowInit;
  output: Output | null;
}

/** Writes a run folder as a run does; called again, it adds trials. */
export function writeRunFolder(dir: string, trials: readonly WrittenTrial[], examples?: readonly Example[]): EvalRow[] {
  const journal = RunJournal.create(dir, makeManifest());
  const rows = trials.map(({ row, output, evidence = null, grades = null }) => {
    const made = makeRow(row);
    journal.append({ row: made, output, evidence, grades });
    return made;
  });
  journal.flush();
  if (examples !== undefined) journal.writeExamples(examples);
  journal.close();
  return rows;
}
