import { join } from "node:path";
import type { EvalRow, Grade, Output, TrialKey } from "../core/index.js";
import { getErrorMessage, RunFolderError } from "../core/index.js";
import type { UngradedOutput } from "../runner/index.js";
import { RUN_FILES } from "./journal.js";
import { encodeKey, UNGRADED_KIND } from "./row-codec.js";
import { readRunFile, readRunLines } from "./run-file.js";

/** The stored output of one trial. */
export interface StoredOutput extends TrialKey {
  output: Output;
  /** Evidence of the evaluators, if any. */
  evidence?: Readonly<Record<string, string>>;
  /** Results of the graders, if any. */
  grades?: readonly Grade[];
}

/** Outputs follow the key of their trial. Quotes inside texts are escaped, so this matches nowhere else. */
const AFTER_KEY = /,"(?:kind|output|file)":/;
const UNGRADED_MARK = `,"kind":"${UNGRADED_KIND}",`;

/**
 * Streams the outputs of a stored run, one per trial, because they may be larger than memory. Of several outputs of a trial,
 * the last counts.
 */
export function* readOutputs(dir: string): Generator<StoredOutput> {
  const path = join(dir, RUN_FILES.outputs);
  const { superseded, lines } = scanOutputLines(dir);
  for (const { text, number } of readRunLines(dir, RUN_FILES.outputs)) {
    if (number > lines) return;
    if (!superseded.has(number)) yield decodeStoredLine(text, `${path}:${number}`, dir);
  }
}

/** Counts the complete lines, and finds those with a later line of the same trial. */
function scanOutputLines(dir: string): { superseded: ReadonlySet<number>; lines: number } {
  const last = new Map<string, number>();
  const superseded = new Set<number>();
  let lines = 0;
  for (const { text, terminated } of readRunLines(dir, RUN_FILES.outputs)) {
    if (!terminated) break;
    lines += 1;
    const key = readLineKey(text);
    const before = last.get(key);
    if (before !== undefined) superseded.add(before);
    last.set(key, lines);
  }
  return { superseded, lines };
}

/** What is stored of one trial besides its row; all null if nothing is. */
export interface StoredTrialOutput {
  output: Output | null;
  evidence: NonNullable<StoredOutput["evidence"]> | null;
  grades: NonNullable<StoredOutput["grades"]> | null;
}

/**
 * Reads the output of one trial, with its evidence and grades. Other lines are recognized by their beginning and not
 * parsed, which would take most of the time.
 */
export function readOutput(dir: string, trial: EvalRow): StoredTrialOutput {
  const path = join(dir, RUN_FILES.outputs);
  const start = `{${encodeKey(trial)},`;
  let last: { text: string; number: number } | null = null;
  for (const { text, number, terminated } of readRunLines(dir, RUN_FILES.outputs))
    if (terminated && text.startsWith(start)) last = { text, number };
  if (last === null) return { output: null, evidence: null, grades: null };
  const { output, evidence = null, grades = null } = decodeStoredLine(last.text, `${path}:${last.number}`, dir);
  return { output, evidence, grades };
}

/**
 * Reads the stored, ungraded outputs of a run, by the index that `placeOf` returns for their trials; undefined skips a
 * finished trial.
 */
export function readUngraded(
  dir: string,
  placeOf: (trial: TrialKey) => number | undefined,
): Map<number, UngradedOutput> {
  const path = join(dir, RUN_FILES.outputs);
  const lines = new Map<number, { text: string; number: number }>();
  for (const { text, number, terminated } of readRunLines(dir, RUN_FILES.outputs)) {
    const isUngraded = text.startsWith(UNGRADED_MARK, text.search(AFTER_KEY));
    if (!terminated || (!isUngraded && lines.size === 0)) continue;
    const place = placeOf(JSON.parse(`${readLineKey(text)}}`) as TrialKey);
    if (place === undefined) continue;
    if (isUngraded) lines.set(place, { text, number });
    else lines.delete(place);
  }
  return new Map(Array.from(lines, ([place, line]) => [place, decodeUngraded(line, path, dir)]));
}

function decodeUngraded({ text, number }: { text: string; number: number }, path: string, dir: string): UngradedOutput {
  const { call } = JSON.parse(text) as UngradedOutput;
  return { ...decodeStoredLine(text, `${path}:${number}`, dir), call };
}

/** A copy: a slice would keep the whole line in memory, and so every output of the run. */
function readLineKey(line: string): string {
  return Buffer.from(line.slice(0, line.search(AFTER_KEY))).toString();
}

/** Decodes the output of a line, or of the file that the line names; `place` is for the error message. */
export function decodeStoredLine(line: string, place: string, dir: string): StoredOutput {
  try {
    const { file, ...stored } = JSON.parse(line) as StoredOutput & { file?: string };
    return file === undefined ? stored : (JSON.parse(readRunFile(dir, file)) as StoredOutput);
  } catch (cause) {
    throw new RunFolderError(
      `${place} is not an output: ${getErrorMessage(cause)}. Remove that line to continue without it.`,
      {
        cause,
      },
    );
  }
}
