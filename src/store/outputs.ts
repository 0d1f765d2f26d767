import { join } from "node:path";
import { messageOf, RunFolderError } from "../core/errors.js";
import type { Grade } from "../core/grader.js";
import type { EvalRow, TrialKey } from "../core/row.js";
import type { Output } from "../core/system.js";
import type { UngradedOutput } from "../runner/call.js";
import { FILES } from "./journal.js";
import { encodeKey, UNGRADED_KIND } from "./row-codec.js";
import { readRunFile, readRunLines } from "./run-file.js";

/** What a system returned in one trial, as it was written down. */
export interface StoredOutput extends TrialKey {
  output: Output;
  /** What evaluators have to show for their scores, where they have. */
  evidence?: Readonly<Record<string, string>>;
  /** What graders said, where any were asked. */
  grades?: readonly Grade[];
}

/** Outputs stand behind the key of their trial; a quote in a text would be escaped, so that this is found nowhere else. */
const BEHIND_KEY = /,"(?:kind|output|file)":/;
const UNGRADED = `,"kind":"${UNGRADED_KIND}",`;

/**
 * The outputs of a stored run, one a trial, read as they are asked for: a run's outputs may be larger than memory. A
 * trial that was run again has several, and the last one counts.
 */
export function* readOutputs(dir: string): Generator<StoredOutput> {
  const path = join(dir, FILES.outputs);
  const { superseded, lines } = lookThrough(dir);
  for (const { text, number } of readRunLines(dir, FILES.outputs)) {
    if (number > lines) return;
    if (!superseded.has(number)) yield decodeOutput(text, `${path}:${number}`, dir);
  }
}

/** How many whole lines there are, and the numbers of those whose trial has a later one. */
function lookThrough(dir: string): { superseded: ReadonlySet<number>; lines: number } {
  const last = new Map<string, number>();
  const superseded = new Set<number>();
  let lines = 0;
  for (const { text, terminated } of readRunLines(dir, FILES.outputs)) {
    if (!terminated) break;
    lines += 1;
    const key = keyOf(text);
    const before = last.get(key);
    if (before !== undefined) superseded.add(before);
    last.set(key, lines);
  }
  return { superseded, lines };
}

/** What was written down of one trial besides its row; all null when nothing was. */
export interface TrialOutput {
  output: Output | null;
  evidence: NonNullable<StoredOutput["evidence"]> | null;
  grades: NonNullable<StoredOutput["grades"]> | null;
}

/**
 * The output of one trial, with its evidence and grades. Most of the time would go into parsing those of others: they
 * are told by how their lines begin.
 */
export function readOutput(dir: string, trial: EvalRow): TrialOutput {
  const path = join(dir, FILES.outputs);
  const start = `{${encodeKey(trial)},`;
  let last: { text: string; number: number } | null = null;
  for (const { text, number, terminated } of readRunLines(dir, FILES.outputs))
    if (terminated && text.startsWith(start)) last = { text, number };
  if (last === null) return { output: null, evidence: null, grades: null };
  const { output, evidence = null, grades = null } = decodeOutput(last.text, `${path}:${last.number}`, dir);
  return { output, evidence, grades };
}

/**
 * The outputs of a run that were stored and not graded, with all that their rows need, by where `placeOf` puts their
 * trials: undefined for those that are over.
 */
export function readUngraded(
  dir: string,
  placeOf: (trial: TrialKey) => number | undefined,
): Map<number, UngradedOutput> {
  const path = join(dir, FILES.outputs);
  const lines = new Map<number, { text: string; number: number }>();
  for (const { text, number, terminated } of readRunLines(dir, FILES.outputs)) {
    const isUngraded = text.startsWith(UNGRADED, text.search(BEHIND_KEY));
    if (!terminated || (!isUngraded && lines.size === 0)) continue;
    const place = placeOf(JSON.parse(`${keyOf(text)}}`) as TrialKey);
    if (place === undefined) continue;
    if (isUngraded) lines.set(place, { text, number });
    else lines.delete(place);
  }
  return new Map(Array.from(lines, ([place, line]) => [place, decodeUngraded(line, path, dir)]));
}

function decodeUngraded({ text, number }: { text: string; number: number }, path: string, dir: string): UngradedOutput {
  const { call } = JSON.parse(text) as UngradedOutput;
  return { ...decodeOutput(text, `${path}:${number}`, dir), call };
}

/** A copy: a part of a text holds on to the whole of it, and with it to every output of the run. */
function keyOf(line: string): string {
  return Buffer.from(line.slice(0, line.search(BEHIND_KEY))).toString();
}

/** The output of a line, or of the file beside it that the line names; `place` is for the error. */
export function decodeOutput(line: string, place: string, dir: string): StoredOutput {
  try {
    const { file, ...stored } = JSON.parse(line) as StoredOutput & { file?: string };
    return file === undefined ? stored : (JSON.parse(readRunFile(dir, file)) as StoredOutput);
  } catch (cause) {
    throw new RunFolderError(`${place} is not an output: ${messageOf(cause)}. Remove that line to go on without it.`, {
      cause,
    });
  }
}
