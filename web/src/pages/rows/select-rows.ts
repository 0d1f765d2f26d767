import { useEffect, useState } from "preact/hooks";
import type { TrialKey } from "../../../../src/core/row.js";
import type { SortOrder } from "../../../../src/report/dashboard/order.js";
import { runInSlices } from "../../ui/index.js";
import type { RowFilter, RowLabels, TextMatches } from "../row-filter.js";
import type { RowTable } from "./row-table.js";
import type { LoadedRows } from "./use-rows.js";

/** The indexes of the rows to show, in order. */
export interface VisibleRows {
  /** The table of the indexes. */
  readonly table: RowTable | null;
  readonly places: Uint32Array;
  /** True while new indexes are computed. */
  readonly isWorking: boolean;
}

interface RowQuery {
  readonly filter: RowFilter;
  readonly order: SortOrder;
  readonly matches: TextMatches | null;
  /** Null until they are loaded. */
  readonly labels: RowLabels | null;
}

const NO_VISIBLE_ROWS: VisibleRows = { table: null, places: new Uint32Array(), isWorking: true };

/** Keeps the previous rows until new ones are selected. */
export function useVisibleRows({ table, version }: LoadedRows, query: RowQuery): VisibleRows {
  const { filter, order, matches } = query;
  // Labels that no filter asks for do not select the rows again.
  const labels = filter.label === "" ? null : query.labels;
  const [shown, setShown] = useState<VisibleRows>(NO_VISIBLE_ROWS);
  useEffect(() => {
    if (table === null) return setShown(NO_VISIBLE_ROWS);
    const gone = new AbortController();
    setShown((before) => (before.table === table ? { ...before, isWorking: true } : NO_VISIBLE_ROWS));
    runInSlices(selectRows(table, { filter, order, matches, labels }), gone.signal).then(
      (places) => gone.signal.aborted || setShown({ table, places, isWorking: false }),
      () => {
        // Aborted for another filter or order.
      },
    );
    return () => gone.abort();
  }, [table, version, JSON.stringify(filter), order.key, order.isDescending, matches, labels]);
  return shown;
}

/** A generator, for `runInSlices`. */
export function* selectRows(table: RowTable, query: RowQuery): Generator<void, Uint32Array> {
  const places = yield* filterRows(table, query);
  const compare = createRowComparator(table, query.order);
  return compare === null ? places : yield* mergeSort(places, compare);
}

type RowTest = (place: number) => boolean;

const ROWS_PER_STEP = 4096;

/**
 * The indexes of matching rows in the order of the table. Yields every few thousand rows, for `runInSlices`.
 */
function* filterRows(table: RowTable, query: RowQuery): Generator<void, Uint32Array> {
  const { length } = table;
  const tests = createRowTests(table, query);
  const places = new Uint32Array(length);
  let kept = 0;
  for (let place = 0; place < length; place++) {
    if (tests.every((test) => test(place))) places[kept++] = place;
    if (place % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  return places.subarray(0, kept);
}

function createRowTests(table: RowTable, { filter, matches, labels }: RowQuery): RowTest[] {
  const { columns, head } = table;
  const tests = [
    createNameTest(columns.outcome, head.outcomes, filter.outcomes),
    createNameTest(columns.system, head.systems, filter.systems),
    createNameTest(columns.dataset, head.datasets, filter.datasets),
    createNameTest(columns.category, head.categories, filter.categories),
    createTagTest(table, filter.tags),
    createRangeTest(getScoreColumn(table, filter.field), filter.min, filter.max),
    createRangeTest(columns.latency, filter.latencyFrom, filter.latencyTo),
    createTextTest(table, filter.text, matches),
    createLabelTest(table, filter.label, labels),
  ];
  return tests.filter((test) => test !== null);
}

function createNameTest(
  column: Uint8Array | Uint16Array,
  names: readonly string[],
  wanted: readonly string[],
): RowTest | null {
  if (wanted.length === 0) return null;
  const isWanted = names.map((name) => wanted.includes(name));
  return (place) => isWanted[column[place] ?? 0] === true;
}

function createTagTest(table: RowTable, wanted: readonly string[]): RowTest | null {
  if (wanted.length === 0) return null;
  const isWanted = table.matchTagSets(wanted);
  const { tagSet } = table.columns;
  return (place) => isWanted[tagSet[place] ?? 0] === true;
}

/** An unknown field matches no row. */
function getScoreColumn({ columns, head }: RowTable, field: string): Float64Array {
  if (field === "") return columns.score;
  return columns.scores[head.fields.indexOf(field)] ?? new Float64Array(columns.size).fill(Number.NaN);
}

/** Missing values match no range. */
function createRangeTest(column: Float64Array, min: number | null, max: number | null): RowTest | null {
  if (min === null && max === null) return null;
  const [low, high] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY];
  return (place) => {
    const value = column[place] ?? Number.NaN;
    return value >= low && value <= high;
  };
}

function createTextTest(table: RowTable, text: string, matches: TextMatches | null): RowTest | null {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return null;
  const { ids, columns, head } = table;
  const isNamed = head.systems.map((name) => name.toLowerCase().includes(wanted));
  return (place) => {
    const id = ids[place] ?? "";
    if (isNamed[columns.system[place] ?? 0] === true) return true;
    return String(id).toLowerCase().includes(wanted) || findTrialAt(table, place, matches?.get(id)) !== null;
  };
}

function findTrialAt<T extends TrialKey>(table: RowTable, place: number, keys: readonly T[] = []): T | null {
  if (keys.length === 0) return null;
  const { system, dataset, trial } = table.getKey(place);
  return keys.find((key) => key.system === system && key.dataset === dataset && key.trial === trial) ?? null;
}

/** What a person said about the trial of a row; null without a verdict. */
export function getLabelVerdict(table: RowTable, place: number, labels: RowLabels): "right" | "wrong" | null {
  return findTrialAt(table, place, labels.get(table.ids[place] ?? ""))?.verdict ?? null;
}

function createLabelTest(table: RowTable, wanted: string, labels: RowLabels | null): RowTest | null {
  if (wanted === "" || labels === null) return null;
  return (place) => {
    const verdict = getLabelVerdict(table, place, labels);
    if (wanted === "none") return verdict === null;
    if (wanted !== "differs") return verdict === wanted;
    return verdict !== null && table.getOutcome(place) === (verdict === "right" ? "fail" : "pass");
  };
}

/** The order in which the run was planned. */
export const PLANNED_ORDER: SortOrder = { key: "", isDescending: false };

/**
 * Compares two rows by a column, `field:NAME` for a score field; null when there is no such column. Missing values come
 * last in both directions.
 */
export function createRowComparator(table: RowTable, { key, isDescending }: SortOrder): RowComparator | null {
  if (key === "example") {
    const { ids } = table;
    const sign = isDescending ? -1 : 1;
    return (a, b) => sign * compareIds(ids[a] ?? "", ids[b] ?? "") || a - b;
  }
  const values = getSortValues(table, key);
  return values === null ? null : createValueComparator(values, isDescending);
}

function createValueComparator(values: ArrayLike<number>, isDescending: boolean): RowComparator {
  const sign = isDescending ? -1 : 1;
  return (a, b) => {
    const [x, y] = [values[a] ?? Number.NaN, values[b] ?? Number.NaN];
    if (x < y) return -sign;
    if (x > y) return sign;
    return x === y ? a - b : Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
  };
}

function getSortValues({ columns, head }: RowTable, column: string): ArrayLike<number> | null {
  if (column === "system") return rankNames(columns.system, head.systems);
  if (column === "dataset") return rankNames(columns.dataset, head.datasets);
  if (column === "outcome") return columns.outcome;
  if (column === "category") return rankNames(columns.category, head.categories);
  if (column.startsWith("field:")) return columns.scores[head.fields.indexOf(column.slice(6))] ?? null;
  return isMeasureName(column) ? columns[column] : null;
}

const MEASURE_COLUMN_NAMES = [
  "trial",
  "score",
  "costUsd",
  "latency",
  "inputTokens",
  "outputTokens",
  "turns",
  "attempts",
] as const;

function isMeasureName(column: string): column is (typeof MEASURE_COLUMN_NAMES)[number] {
  return (MEASURE_COLUMN_NAMES as readonly string[]).includes(column);
}

function rankNames(column: Uint8Array | Uint16Array, names: readonly string[]): ArrayLike<number> {
  const order = names.map((_, place) => place).sort((a, b) => compareIds(names[a] ?? "", names[b] ?? ""));
  const ranks = new Uint32Array(names.length);
  for (const [rank, place] of order.entries()) ranks[place] = rank;
  return column.map((place) => ranks[place] ?? 0);
}

/** Small enough to be sorted in one step. */
const SORTED_RUN_LENGTH = 2048;
const MERGES_PER_STEP = 8192;

type RowComparator = (a: number, b: number) => number;

/** Sorts by a total order. Yields every few thousand rows, for `runInSlices`. */
export function* mergeSort(places: Uint32Array, compare: RowComparator): Generator<void, Uint32Array> {
  let from = places.slice();
  for (let start = 0; start < from.length; start += SORTED_RUN_LENGTH) {
    from.subarray(start, start + SORTED_RUN_LENGTH).sort(compare);
    yield;
  }
  let to = new Uint32Array(from.length);
  for (let width = SORTED_RUN_LENGTH; width < from.length; width *= 2) {
    yield* mergePass({ from, to, width, compare });
    [from, to] = [to, from];
  }
  return from;
}

interface MergePass {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** The length of the runs that are sorted already. */
  readonly width: number;
  readonly compare: RowComparator;
}

function* mergePass({ from, to, width, compare }: MergePass): Generator<void> {
  const { length } = from;
  for (let start = 0; start < length; start += 2 * width) {
    const [middle, end] = [Math.min(start + width, length), Math.min(start + 2 * width, length)];
    let [left, right] = [start, middle];
    for (let out = start; out < end; out++) {
      const isLeft = right >= end || (left < middle && compare(from[left] ?? 0, from[right] ?? 0) <= 0);
      to[out] = from[isLeft ? left++ : right++] ?? 0;
      if (out % MERGES_PER_STEP === MERGES_PER_STEP - 1) yield;
    }
  }
}

/**
 * Orders ids by the numbers in them: numbers before texts, and `q2` before `q10`. Independent of the language of the
 * reader.
 * @example
 * ["q10", "q2", 3].sort(compareIds); // [3, "q2", "q10"]
 */
export function compareIds(a: string | number, b: string | number): number {
  if (typeof a === "number") return typeof b === "number" ? a - b : -1;
  return typeof b === "number" ? 1 : compareTexts(a, b);
}

function compareTexts(a: string, b: string): number {
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const [x, y] = [readDigits(a, i), readDigits(b, j)];
    const areNumbers = x !== "" && y !== "";
    const order = areNumbers ? compareDigits(x, y) : a.charCodeAt(i) - b.charCodeAt(j);
    if (order !== 0) return order;
    i += areNumbers ? x.length : 1;
    j += areNumbers ? y.length : 1;
  }
  const rest = a.length - i - (b.length - j);
  // `q1` and `q01` have equal numbers, but an order must tell them apart.
  return rest !== 0 ? rest : Number(a > b) - Number(a < b);
}

function readDigits(text: string, at: number): string {
  let end = at;
  while (isDigit(text.charCodeAt(end))) end++;
  return text.slice(at, end);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** By value, at any length. */
function compareDigits(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+(?=\d)/, ""), b.replace(/^0+(?=\d)/, "")];
  return x.length - y.length || Number(x > y) - Number(x < y);
}
