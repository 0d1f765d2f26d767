import type { EvalRow, Outcome } from "../../core/row.js";
import { encodeExampleKey } from "../../store/example-lines.js";
import type { Manifest } from "../../store/manifest.js";
import { TrialFiles } from "./trial-files.js";
import { storedOf, viewOf } from "./trial-view.js";

/** Of JSON, before it is pressed together: what a browser opens without a long wait. */
const MOST_BYTES = 40_000_000;

/** Failures are looked at first. */
const ORDER: readonly Outcome[] = ["fail", "error", "unscored", "pass", "skipped"];

export interface EmbeddedTrials {
  dir: string | null;
  rows: readonly EvalRow[];
  threshold: number;
  run: string;
  systems: Manifest["systems"];
  /** At most so much JSON; 40 MB unless told. */
  mostBytes?: number;
}

/** Trials as JSON one by one, failures first, until there is no more room. What it returns is how many are left out. */
export async function* trialTexts(request: EmbeddedTrials): AsyncGenerator<string, number> {
  const { dir, rows, threshold, run, systems, mostBytes = MOST_BYTES } = request;
  const files = new TrialFiles();
  const byExample = grouped(rows);
  let room = mostBytes;
  let told = 0;
  for (const row of failuresFirst(rows)) {
    const siblings = (byExample.get(exampleOf(row)) ?? []).filter((other) => other !== row);
    const stored = await storedOf(dir, row, files);
    const text = JSON.stringify(viewOf({ row, siblings, threshold, run, systems, ...stored }));
    room -= Buffer.byteLength(text);
    if (room < 0) break;
    told += 1;
    yield text;
  }
  return rows.length - told;
}

function grouped(rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const groups = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const key = exampleOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

function exampleOf({ dataset, exampleId }: EvalRow): string {
  return encodeExampleKey(dataset, exampleId);
}

function failuresFirst(rows: readonly EvalRow[]): EvalRow[] {
  return rows.toSorted((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome));
}
