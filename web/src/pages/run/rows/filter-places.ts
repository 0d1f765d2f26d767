import type { RowFilter, TextMatches } from "./row-filter.js";
import type { RowTable } from "./row-table.js";

type RowTest = (place: number) => boolean;

const ROWS_PER_STEP = 4096;

/**
 * The places of the rows that a filter leaves, in the order of the table. Gives way every few thousand rows: see
 * `runInSlices`. Where texts were searched, `matches` says in which trials it was found.
 */
export function* filterRows(
  table: RowTable,
  filter: RowFilter,
  matches: TextMatches | null = null,
): Generator<void, Uint32Array> {
  const { length } = table;
  const tests = createRowTests(table, filter, matches);
  const places = new Uint32Array(length);
  let kept = 0;
  for (let place = 0; place < length; place++) {
    if (tests.every((test) => test(place))) places[kept++] = place;
    if (place % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  return places.subarray(0, kept);
}

function createRowTests(table: RowTable, filter: RowFilter, matches: TextMatches | null): RowTest[] {
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

/** A field that no row has wants no row, rather than any. */
function getScoreColumn({ columns, head }: RowTable, field: string): Float64Array {
  if (field === "") return columns.score;
  return columns.scores[head.fields.indexOf(field)] ?? new Float64Array(columns.size).fill(Number.NaN);
}

/** What was not measured is in no range. */
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
  const { ids } = table;
  return (place) => {
    const id = ids[place] ?? "";
    return String(id).toLowerCase().includes(wanted) || isFoundTrial(table, place, matches?.get(id));
  };
}

function isFoundTrial(
  table: RowTable,
  place: number,
  found: readonly { system: string; dataset: string; trial: number }[] = [],
) {
  if (found.length === 0) return false;
  const { system, dataset, trial } = table.getKey(place);
  return found.some((key) => key.system === system && key.dataset === dataset && key.trial === trial);
}
