import { UsageError } from "../../core/errors.js";
import { type EvalRow, isScored } from "../../core/row.js";
import type { CompareOptions } from "./comparison.js";

/** The trials of one task in A and in B; one side may have none. */
export interface Pair {
  readonly key: string;
  readonly a: readonly EvalRow[];
  readonly b: readonly EvalRow[];
}

export interface RowPairs {
  readonly pairs: readonly Pair[];
  readonly notes: readonly string[];
}

type KeyOf = (row: EvalRow) => string;

/**
 * The rows of two sides by task, in an order that does not depend on that of the rows.
 * @example
 * const { pairs } = pairRows(rowsOfA, rowsOfB, { keyOf: ({ exampleId }) => String(exampleId) });
 */
export function pairRows(
  a: readonly EvalRow[],
  b: readonly EvalRow[],
  options: Pick<CompareOptions, "keyOf"> = {},
): RowPairs {
  const { keyOf, notes } = options.keyOf === undefined ? usualKey(a, b) : { keyOf: options.keyOf, notes: [] };
  const [ofA, ofB] = [byKey(a, keyOf), byKey(b, keyOf)];
  const keys = [...new Set([...ofA.keys(), ...ofB.keys()])].sort(inOrder());
  return { pairs: keys.map((key) => ({ key, a: ofA.get(key) ?? [], b: ofB.get(key) ?? [] })), notes };
}

/** Pairs whose two sides both have a scored trial. */
export function isPaired({ a, b }: Pair): boolean {
  return a.some(isScored) && b.some(isScored);
}

function usualKey(a: readonly EvalRow[], b: readonly EvalRow[]): { keyOf: KeyOf; notes: string[] } {
  requireOneSystem("A", a);
  requireOneSystem("B", b);
  const [ofA, ofB] = [namesIn(a, "dataset"), namesIn(b, "dataset")];
  const [nameA = "", nameB = ""] = [ofA[0], ofB[0]];
  if (ofA.length !== 1 || ofB.length !== 1 || nameA === nameB) return { keyOf: datasetAndId, notes: [] };
  const note = `the datasets have different names, ${quoted(nameA)} and ${quoted(nameB)}: tasks are paired by the id of their example alone`;
  return { keyOf: ({ exampleId }) => String(exampleId), notes: [note] };
}

function datasetAndId({ dataset, exampleId }: EvalRow): string {
  return `${dataset}\u0000${exampleId}`;
}

/** Trials of different systems are no trials of one task. */
function requireOneSystem(side: string, rows: readonly EvalRow[]): void {
  const systems = namesIn(rows, "system");
  if (systems.length < 2) return;
  throw new UsageError(
    `The rows of ${side} are of ${systems.length} systems (${systems.join(", ")}). Compare the rows of one, or say with keyOf what makes a pair.`,
  );
}

/** The different values of a field, in the order they are met. */
export function namesIn(rows: readonly EvalRow[], field: "system" | "dataset"): string[] {
  return [...new Set(rows.map((row) => row[field]))];
}

function byKey(rows: readonly EvalRow[], keyOf: KeyOf): Map<string, EvalRow[]> {
  const found = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const known = found.get(key);
    if (known === undefined) found.set(key, [row]);
    else known.push(row);
  }
  return found;
}

/** As people count, "task-2" before "task-10"; keys that only differ in how a number is written have an order too. */
function inOrder(): (x: string, y: string) => number {
  const collator = new Intl.Collator("en", { numeric: true });
  return (x, y) => collator.compare(x, y) || (x < y ? -1 : 1);
}

function quoted(name: string): string {
  return name === "" ? "none" : `"${name}"`;
}
