import { basename } from "node:path";
import { EXIT, RunFolderError, type TrialKey, UsageError } from "../core/index.js";
import { formatPlural, formatTrialName, toOneLine } from "../report/index.js";
import { readStoredRows } from "../runs/index.js";
import {
  checkQuarantineReason,
  encodeKey,
  findRun,
  type QuarantinedTrial,
  readManifest,
  readQuarantine,
  writeQuarantine,
} from "../store/index.js";
import { quoteShellWord } from "../utils/index.js";
import { filterTrials, findTrials } from "./find-trials.js";
import { printNote, writeResult } from "./streams.js";

export interface QuarantineFlags {
  system?: string;
  dataset?: string;
  reason?: string;
  undo?: boolean;
  runsDir: string;
}

/** `assay runs quarantine`: puts trials aside, counts them again, or without a trial lists those that are put aside. */
export async function executeQuarantine(
  run: string,
  trials: readonly string[],
  flags: QuarantineFlags,
): Promise<number> {
  const { system, dataset, undo = false } = flags;
  const dir = findRun({ runsDir: flags.runsDir, name: run, onNote: printNote });
  const manifest = readManifest(dir);
  if (trials.length === 0) return listQuarantine(dir, flags);
  if (undo && flags.reason !== undefined) throw new UsageError("--undo takes no --reason. Remove one of them.");
  const reason = undo ? null : checkQuarantineReason(flags.reason);
  const stored = readStoredRows(dir, manifest);
  if (stored.length === 0) throw new RunFolderError(`${dir} has no finished trials, so there is none to put aside.`);
  const narrowing = { ...(system === undefined ? {} : { system }), ...(dataset === undefined ? {} : { dataset }) };
  const rows = filterTrials(stored, narrowing, manifest.config);
  const command = `assay show ${quoteShellWord(run)}`;
  const named = trials.flatMap((trial) => findTrials({ trial, rows, command }));
  const keys = [...new Map(named.map((row) => [encodeKey(row), row])).values()];
  if (undo) requireQuarantined(dir, keys);
  writeQuarantine(dir, keys, { reason, at: new Date().toISOString() });
  const left = readQuarantine(dir).length;
  const what = formatPlural(keys.length, "trial");
  for (const key of keys) printNote(`  ${formatKey(key)}`);
  printNote(
    `${undo ? `Counted again: ${what}` : `Put aside: ${what}`}. Figures of ${basename(dir)} now leave out ${left === 0 ? "none" : formatPlural(left, "trial")}; no row was deleted.`,
  );
  return EXIT.fine;
}

async function listQuarantine(dir: string, { reason, undo }: QuarantineFlags): Promise<number> {
  const given = [...(reason === undefined ? [] : ["--reason"]), ...(undo === true ? ["--undo"] : [])];
  if (given.length > 0)
    throw new UsageError(`${given.join(" and ")} needs the trials: an example id for all of its trials, or ID#N.`);
  const quarantine = readQuarantine(dir);
  if (quarantine.length === 0) printNote(`No trial of ${basename(dir)} is put aside.`);
  else await writeResult(quarantine.map((trial) => `${formatQuarantined(trial)}\n`).join(""));
  return EXIT.fine;
}

function requireQuarantined(dir: string, keys: readonly TrialKey[]): void {
  const aside = new Set(readQuarantine(dir).map(encodeKey));
  const other = keys.filter((key) => !aside.has(encodeKey(key)));
  const [first] = other;
  // An example may have only some of its trials put aside; the others count already.
  if (first === undefined || other.length < keys.length) return;
  throw new UsageError(
    `${formatKey(first)} is not put aside. ${aside.size === 0 ? "No trial of the run is." : `List those that are with: assay runs quarantine ${basename(dir)}`}`,
  );
}

function formatKey(key: TrialKey): string {
  const dataset = key.dataset === "" ? "" : ` (${key.dataset})`;
  return toOneLine(`${formatTrialName(key)} of ${key.system}${dataset}`);
}

function formatQuarantined(trial: QuarantinedTrial): string {
  return `${formatKey(trial)}, put aside on ${trial.at.slice(0, "2026-11-18".length)}: ${toOneLine(trial.reason)}`;
}
