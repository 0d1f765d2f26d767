import { randomBytes } from "node:crypto";
import type { Output } from "../core/index.js";
import { type EvalRow, getErrorMessage, makeRow, OUTCOMES, ROW_FIELD_LIST, type TrialKey } from "../core/index.js";
import type { EncodedTrial, FinishedTrial, MoneyEntry, UngradedOutput } from "../runner/index.js";

/** Outputs with more characters of JSON become separate files, so that lines stay readable. */
export const LARGE_OUTPUT_CHARS = 1 << 20;

/** Whether an output has a text that makes it large, checked without encoding it. */
export function hasLargeText(output: Output | null): output is Output {
  return (
    output !== null &&
    Object.values(output).some((each) => typeof each === "string" && each.length > LARGE_OUTPUT_CHARS)
  );
}

/** Identifies a trial, as the first fields of its lines: it is found without parsing other lines. */
export function encodeKey(row: TrialKey): string {
  return JSON.stringify(pickTrialKey(row)).slice(1, -1);
}

export function pickTrialKey({ system, dataset, exampleId, trial }: TrialKey): TrialKey {
  return { system, dataset, exampleId, trial };
}

const OPTIONAL_FIELDS = ROW_FIELD_LIST.filter(({ isAlwaysWritten }) => isAlwaysWritten !== true).map(
  ({ name, neutral }) => ({ name, neutral, isContainer: typeof neutral === "object" && neutral !== null }),
);

/** Encodes a row as one line of JSON. Optional fields with neutral values are omitted: `makeRow` restores them. */
export function encodeRow(row: EvalRow): string {
  const line: Record<string, unknown> = { ...row };
  for (const { name, neutral, isContainer } of OPTIONAL_FIELDS) {
    const value = row[name];
    // Not deleted: that would give the copy a slow shape of its own.
    if (value === neutral || (isContainer && Object.keys(value ?? {}).length === 0)) line[name] = undefined;
  }
  return JSON.stringify(line);
}

/** Decodes a line written by `encodeRow`, of this version or an older one. */
export function decodeRow(line: string): EvalRow {
  return restoreRow(JSON.parse(line) as EvalRow);
}

function restoreRow(row: EvalRow): EvalRow {
  const isRow = typeof row?.system === "string" && row.exampleId !== undefined && OUTCOMES.includes(row.outcome);
  if (!isRow) throw new SyntaxError("it lacks a system, an exampleId or an outcome");
  return makeRow(row);
}

/** Encodes a finished trial as journal lines, without line feeds. */
export function encodeTrial(finished: FinishedTrial): EncodedTrial {
  return { row: encodeRow(finished.row), output: finished.output === null ? null : encodeOutput(finished) };
}

/** The value of `kind`, the first field after the key, in the line of an ungraded output. */
export const UNGRADED_KIND = "output";

/** Encodes a reservation or settlement for the journal. */
export function encodeMoney(entry: MoneyEntry): string {
  const { kind, ...rest } = entry;
  return JSON.stringify({ ...pickTrialKey(entry), kind, ...rest });
}

/** Decodes a line of the journal: a row, or an entry with a `kind`; null for kinds of later versions. */
export function decodeLine(line: string): EvalRow | MoneyEntry | null {
  const entry = JSON.parse(line) as { kind?: unknown } | null;
  if (entry?.kind === undefined) return restoreRow(entry as EvalRow);
  return isMoneyEntry(entry) ? entry : null;
}

function isMoneyEntry(entry: { kind?: unknown; usd?: unknown }): entry is MoneyEntry {
  const isKnown = entry.kind === "reserve" || entry.kind === "settle";
  return isKnown && typeof entry.usd === "number" && entry.usd >= 0;
}

/** Encodes an ungraded output as a line; null if JSON cannot hold it. A given file replaces the output in the line. */
export function encodeUngraded(ungraded: UngradedOutput, file?: string): string | null {
  const { output, call } = ungraded;
  try {
    const head = { ...pickTrialKey(ungraded), kind: UNGRADED_KIND, call };
    return JSON.stringify(file === undefined ? { ...head, output } : { ...head, file });
  } catch {
    return null;
  }
}

/** Encodes only an output, for the separate file. */
export function encodeOutputAlone(key: TrialKey, output: Output): string {
  return JSON.stringify({ ...pickTrialKey(key), output });
}

/** The same in pieces; null if JSON cannot hold it. */
export function encodeAloneInPieces(key: TrialKey, output: Output): Iterable<string> | null {
  try {
    return encodePieces({ ...pickTrialKey(key), output });
  } catch {
    return null;
  }
}

function encodeOutput(finished: FinishedTrial): string {
  return encodeLine(finished, JSON.stringify);
}

/** Encodes the line of an output in pieces. */
export function encodeOutputInPieces(finished: FinishedTrial): Iterable<string> {
  return encodeLine(finished, encodePieces);
}

/** An output that JSON cannot hold (cyclic, BigInt) is lost, but not its row and scores. */
function encodeLine<T>({ row, output, evidence, grades }: FinishedTrial, encode: (line: object) => T): T {
  const { system, dataset, exampleId, trial } = row;
  const more = { evidence: evidence ?? undefined, grades: grades ?? undefined };
  const line = { system, dataset, exampleId, trial, output, ...more };
  try {
    return encode(line);
  } catch (error) {
    const notRecorded = `the output cannot be written as JSON: ${getErrorMessage(error)}`;
    return encode({ ...line, output: { notRecorded } });
  }
}

/** Longer texts are encoded in pieces of this many characters. */
const MIN_LONG_TEXT_CHARS = 1 << 18;

/**
 * The result of `JSON.stringify` in pieces, so that a text of hundreds of megabytes is not held twice. Throws at once if
 * JSON cannot hold the value.
 */
export function encodePieces(value: unknown): Iterable<string> {
  const texts: string[] = [];
  const mark = randomBytes(16).toString("hex");
  const json = JSON.stringify(value, (_, each: unknown) => {
    if (typeof each !== "string" || each.length <= MIN_LONG_TEXT_CHARS) return each;
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

/** The inside of a JSON string. Never splits a surrogate pair: its halves would be escaped. */
function* escapePieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = Math.min(text.length, start + MIN_LONG_TEXT_CHARS);
    const whole = (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
    yield JSON.stringify(text.slice(start, whole)).slice(1, -1);
    start = whole;
  }
}
