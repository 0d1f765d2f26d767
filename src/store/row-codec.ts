import { randomBytes } from "node:crypto";
import { messageOf } from "../core/errors.js";
import { EMPTY_ROW, type EvalRow, makeRow, OUTCOMES, ROW_FIELDS, type TrialKey } from "../core/row.js";
import type { Output } from "../core/system.js";
import type { UngradedOutput } from "../runner/call.js";
import type { EncodedTrial, FinishedTrial, MoneyEntry } from "../runner/ports.js";

/** Outputs above this many characters of JSON become files beside the journal, so that its lines stay readable. */
export const LARGE_OUTPUT = 1 << 20;

/** Whether an output has a text that makes it large, which is seen without encoding it. */
export function hasLargeText(output: Output | null): output is Output {
  return (
    output !== null && Object.values(output).some((each) => typeof each === "string" && each.length > LARGE_OUTPUT)
  );
}

/** What tells a trial from all others, as the first fields of its lines: one is found without parsing the others. */
export function encodeKey(row: TrialKey): string {
  return JSON.stringify(trialKey(row)).slice(1, -1);
}

export function trialKey({ system, dataset, exampleId, trial }: TrialKey): TrialKey {
  return { system, dataset, exampleId, trial };
}

/** Fields that every line has. */
const ALWAYS_WRITTEN: ReadonlySet<keyof EvalRow> = new Set([
  "system",
  "dataset",
  "exampleId",
  "trial",
  "outcome",
  "errorCategory",
  "scores",
  "inputTokens",
  "outputTokens",
]);
const OPTIONAL_FIELDS = ROW_FIELDS.filter((field) => !ALWAYS_WRITTEN.has(field));

/** A row as one line of JSON. Optional fields that say nothing are left out: `makeRow` fills them in again. */
export function encodeRow(row: EvalRow): string {
  const line: Record<string, unknown> = { ...row };
  for (const field of OPTIONAL_FIELDS) if (isEmpty(field, row[field])) line[field] = undefined;
  return JSON.stringify(line);
}

function isEmpty(field: keyof EvalRow, value: unknown): boolean {
  const empty = EMPTY_ROW[field];
  return value === empty || (typeof empty === "object" && empty !== null && Object.keys(value ?? {}).length === 0);
}

/** The row of a line written by `encodeRow`, of this version or an older one. */
export function decodeRow(line: string): EvalRow {
  return rowFrom(JSON.parse(line) as EvalRow);
}

function rowFrom(row: EvalRow): EvalRow {
  const isRow = typeof row?.system === "string" && row.exampleId !== undefined && OUTCOMES.includes(row.outcome);
  if (!isRow) throw new SyntaxError("it lacks a system, an exampleId or an outcome");
  return makeRow(row);
}

/** A finished trial as the lines of a journal, without their line feeds. */
export function encodeTrial(finished: FinishedTrial): EncodedTrial {
  return { row: encodeRow(finished.row), output: finished.output === null ? null : encodeOutput(finished) };
}

/** What the first field behind the key says, `kind`, in a line of outputs that is not graded yet. */
export const UNGRADED_KIND = "output";

/** A line about money, for the journal. */
export function encodeMoney(entry: MoneyEntry): string {
  const { kind, ...rest } = entry;
  return JSON.stringify({ ...trialKey(entry), kind, ...rest });
}

/** A line of the journal: a row, or something else that says of which `kind` it is; null for kinds of later versions. */
export function decodeLine(line: string): EvalRow | MoneyEntry | null {
  const entry = JSON.parse(line) as { kind?: unknown } | null;
  if (entry?.kind === undefined) return rowFrom(entry as EvalRow);
  return isMoney(entry) ? entry : null;
}

function isMoney(entry: { kind?: unknown; usd?: unknown }): entry is MoneyEntry {
  const isKnown = entry.kind === "reserve" || entry.kind === "settle";
  return isKnown && typeof entry.usd === "number" && entry.usd >= 0;
}

/** An output that is to be graded, as a line; null when JSON cannot hold it. Its file, where it has one, stands for it. */
export function encodeUngraded(ungraded: UngradedOutput, file?: string): string | null {
  const { output, call } = ungraded;
  try {
    const head = { ...trialKey(ungraded), kind: UNGRADED_KIND, call };
    return JSON.stringify(file === undefined ? { ...head, output } : { ...head, file });
  } catch {
    return null;
  }
}

/** The line of an output without anything else, for the file beside the journal. */
export function encodeOutputAlone(key: TrialKey, output: Output): string {
  return JSON.stringify({ ...trialKey(key), output });
}

/** The same in pieces; null when JSON cannot hold it. */
export function encodeAloneInPieces(key: TrialKey, output: Output): Iterable<string> | null {
  try {
    return encodePieces({ ...trialKey(key), output });
  } catch {
    return null;
  }
}

function encodeOutput(finished: FinishedTrial): string {
  return encodeLine(finished, JSON.stringify);
}

/** The line of an output, in pieces. */
export function encodeOutputInPieces(finished: FinishedTrial): Iterable<string> {
  return encodeLine(finished, encodePieces);
}

/** An output that JSON cannot hold (a circle, a BigInt) costs its own record, not the run: its row and scores stand. */
function encodeLine<T>({ row, output, evidence, grades }: FinishedTrial, encode: (line: object) => T): T {
  const { system, dataset, exampleId, trial } = row;
  const more = { evidence: evidence ?? undefined, grades: grades ?? undefined };
  const line = { system, dataset, exampleId, trial, output, ...more };
  try {
    return encode(line);
  } catch (error) {
    const notRecorded = `the output cannot be written as JSON: ${messageOf(error)}`;
    return encode({ ...line, output: { notRecorded } });
  }
}

/** Characters from which on a text is encoded in pieces, and those of a piece. */
const LONG_TEXT = 1 << 18;

/**
 * What `JSON.stringify` gives, in pieces, so that a text of hundreds of megabytes is not held twice. Throws at once
 * where JSON cannot hold the value.
 */
export function encodePieces(value: unknown): Iterable<string> {
  const texts: string[] = [];
  const mark = randomBytes(16).toString("hex");
  const json = JSON.stringify(value, (_, each: unknown) => {
    if (typeof each !== "string" || each.length <= LONG_TEXT) return each;
    texts.push(each);
    return mark;
  });
  return joinPieces(json.split(mark), texts);
}

function* joinPieces(between: readonly string[], texts: readonly string[]): Generator<string> {
  for (const [index, json] of between.entries()) {
    yield json;
    const text = texts[index];
    if (text !== undefined) yield* escapePieces(text);
  }
}

/** The inside of a JSON string. A character is never cut in two: its halves would be escaped. */
function* escapePieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = Math.min(text.length, start + LONG_TEXT);
    const whole = (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
    yield JSON.stringify(text.slice(start, whole)).slice(1, -1);
    start = whole;
  }
}
