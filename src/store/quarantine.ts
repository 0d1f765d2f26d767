import { type EvalRow, type TrialKey, UsageError } from "../core/index.js";
import { encodeKey } from "./row-codec.js";
import { appendRunLines, readRunLines } from "./run-file.js";

/** A trial that a person put aside: its row stays in the run, but no figure counts it. */
export interface QuarantinedTrial extends TrialKey {
  reason: string;
  /** When it was put aside, as an ISO date. */
  at: string;
}

/** Which trials are put aside and why; one line for each act, and the last of a trial counts. */
export const QUARANTINE_FILE = "quarantine.jsonl";
const QUARANTINE_SCHEMA = "assay.quarantine/1";
const MAX_REASON_LENGTH = 500;

/** One act; the reason is null to count the trial again. */
type QuarantineLine = TrialKey & { reason: string | null; at: string };

/** Reads which trials of a run are put aside. Lines that cannot be read are skipped, such as one cut off by a kill. */
export function readQuarantine(dir: string): QuarantinedTrial[] {
  const last = new Map<string, QuarantinedTrial>();
  for (const { text } of readRunLines(dir, QUARANTINE_FILE)) {
    const line = parseQuarantineLine(text);
    if (line === null) continue;
    const { reason, ...trial } = line;
    if (reason === null) last.delete(encodeKey(trial));
    else last.set(encodeKey(trial), { ...trial, reason });
  }
  return [...last.values()];
}

/** Checked by hand: a library for it would double what a plain run has to load. */
function parseQuarantineLine(text: string): QuarantineLine | null {
  try {
    const line = Object(JSON.parse(text)) as Partial<Record<keyof QuarantineLine | "schema", unknown>>;
    const { schema, system, dataset, exampleId, trial, reason, at } = line;
    if (schema !== QUARANTINE_SCHEMA || typeof trial !== "number" || typeof at !== "string") return null;
    if (typeof system !== "string" || typeof dataset !== "string") return null;
    if (typeof exampleId !== "string" && typeof exampleId !== "number") return null;
    return reason === null || typeof reason === "string" ? { system, dataset, exampleId, trial, reason, at } : null;
  } catch {
    return null;
  }
}

/** Puts trials of a run aside, or counts them again if the reason is null. No row is changed. */
export function writeQuarantine(
  dir: string,
  trials: readonly TrialKey[],
  { reason, at }: { reason: string | null; at: string },
): void {
  const lines = trials.map(({ system, dataset, exampleId, trial }) =>
    JSON.stringify({ schema: QUARANTINE_SCHEMA, system, dataset, exampleId, trial, reason, at }),
  );
  appendRunLines(dir, QUARANTINE_FILE, lines, "trials that are put aside");
}

/** Rejects a reason that would tell a reader nothing. */
export function checkQuarantineReason(reason: string | undefined): string {
  const text = reason?.trim() ?? "";
  if (text === "")
    throw new UsageError(
      'There is no reason. Say why these trials must not count: --reason "the answer key is wrong". The report shows it.',
    );
  if (text.length > MAX_REASON_LENGTH)
    throw new UsageError(`The reason has ${text.length} characters. Use at most ${MAX_REASON_LENGTH}.`);
  if (/\p{Cc}/u.test(text))
    throw new UsageError("The reason has a line break or another control character. Use one line of plain text.");
  return text;
}

/** The rows that figures count, and the trials among the others that are put aside. */
export interface CountedRows {
  readonly rows: readonly EvalRow[];
  readonly quarantined: readonly QuarantinedTrial[];
}

/** Separates the rows that are put aside from the others. */
export function splitQuarantined(rows: readonly EvalRow[], quarantine: readonly QuarantinedTrial[]): CountedRows {
  if (quarantine.length === 0) return { rows, quarantined: [] };
  const aside = new Map(quarantine.map((trial) => [encodeKey(trial), trial]));
  const quarantined = rows.flatMap((row) => aside.get(encodeKey(row)) ?? []);
  return { rows: rows.filter((row) => !aside.has(encodeKey(row))), quarantined };
}
