import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf, RunFolderError } from "../core/errors.js";
import type { Grade } from "../core/grader.js";
import type { EvalRow, TrialKey } from "../core/row.js";
import type { Output } from "../core/system.js";
import { readLines } from "../files/lines.js";
import { FILES } from "./journal.js";
import { encodeKey } from "./row-codec.js";

/** What a system returned in one trial, as it was written down. */
export interface StoredOutput extends TrialKey {
  output: Output;
  /** What evaluators have to show for their scores, where they have. */
  evidence?: Readonly<Record<string, string>>;
  /** What graders said, where any were asked. */
  grades?: readonly Grade[];
}

/** Outputs stand behind the key of their trial; a quote in a text would be escaped, so that this is found nowhere else. */
const BEHIND_KEY = /,"(?:output|file)":/;

/**
 * The outputs of a stored run, one a trial, read as they are asked for: a run's outputs may be larger than memory. A
 * trial that was run again has several, and the last one counts.
 */
export function* readOutputs(dir: string): Generator<StoredOutput> {
  const path = join(dir, FILES.outputs);
  if (!existsSync(path)) return;
  const last = new Map<string, number>();
  for (const { text, number, terminated } of readLines(path)) if (terminated) last.set(keyOf(text), number);
  const wanted = new Set(last.values());
  for (const { text, number } of readLines(path)) if (wanted.has(number)) yield decode(text, `${path}:${number}`, dir);
}

/**
 * The output of one trial, with its evidence; nulls when none was written down. Most of the time would go into parsing
 * those of others: they are told by how their lines begin.
 */
export function readOutput(dir: string, trial: EvalRow): { output: Output | null; evidence: StoredEvidence | null } {
  const path = join(dir, FILES.outputs);
  const start = `{${encodeKey(trial)},`;
  let last: { text: string; number: number } | null = null;
  for (const { text, number, terminated } of existsSync(path) ? readLines(path) : [])
    if (terminated && text.startsWith(start)) last = { text, number };
  if (last === null) return { output: null, evidence: null };
  const { output, evidence = null } = decode(last.text, `${path}:${last.number}`, dir);
  return { output, evidence };
}

type StoredEvidence = NonNullable<StoredOutput["evidence"]>;

function keyOf(line: string): string {
  return line.slice(0, line.search(BEHIND_KEY));
}

function decode(line: string, place: string, dir: string): StoredOutput {
  try {
    const { file, ...stored } = JSON.parse(line) as StoredOutput & { file?: string };
    return file === undefined ? stored : (JSON.parse(readFileSync(join(dir, file), "utf8")) as StoredOutput);
  } catch (cause) {
    throw new RunFolderError(`${place} is not an output: ${messageOf(cause)}. Remove that line to go on without it.`, {
      cause,
    });
  }
}
