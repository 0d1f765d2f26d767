import type { Matches, RowFilter } from "./row-filter.js";
import type { RowTable } from "./row-table.js";

type Test = (place: number) => boolean;

const ROWS_AT_ONCE = 4096;

/**
 * The places of the rows that a filter leaves, in the order of the table. Gives way every few thousand rows: see
 * `inSlices`. Where texts were searched, `matches` says in which trials it was found.
 */
export function* filterPlaces(
  table: RowTable,
  filter: RowFilter,
  matches: Matches | null = null,
): Generator<void, Uint32Array> {
  const { length } = table;
  const tests = testsOf(table, filter, matches);
  const places = new Uint32Array(length);
  let kept = 0;
  for (let place = 0; place < length; place++) {
    if (tests.every((test) => test(place))) places[kept++] = place;
    if (place % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) yield;
  }
  return places.subarray(0, kept);
}

function testsOf(table: RowTable, filter: RowFilter, matches: Matches | null): Test[] {
  const { columns, head } = table;
  const tests = [
    oneOf(columns.outcome, head.outcomes, filter.outcomes),
    oneOf(columns.system, head.systems, filter.systems),
    oneOf(columns.dataset, head.datasets, filter.datasets),
    oneOf(columns.category, head.categories, filter.categories),
    withTags(table, filter.tags),
    between(scoreColumn(table, filter.field), filter.min, filter.max),
    between(columns.latency, filter.latencyFrom, filter.latencyTo),
    withText(table, filter.text, matches),
  ];
  return tests.filter((test) => test !== null);
}

function oneOf(column: Uint8Array | Uint16Array, names: readonly string[], wanted: readonly string[]): Test | null {
  if (wanted.length === 0) return null;
  const isWanted = names.map((name) => wanted.includes(name));
  return (place) => isWanted[column[place] ?? 0] === true;
}

function withTags(table: RowTable, wanted: readonly string[]): Test | null {
  if (wanted.length === 0) return null;
  const isWanted = table.tagSetsWith(wanted);
  const { tagSet } = table.columns;
  return (place) => isWanted[tagSet[place] ?? 0] === true;
}

/** A field that no row has wants no row, rather than any. */
function scoreColumn({ columns, head }: RowTable, field: string): Float64Array {
  if (field === "") return columns.score;
  return columns.scores[head.fields.indexOf(field)] ?? new Float64Array(columns.size).fill(Number.NaN);
}

/** What was not measured is in no range. */
function between(column: Float64Array, min: number | null, max: number | null): Test | null {
  if (min === null && max === null) return null;
  const [low, high] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY];
  return (place) => {
    const value = column[place] ?? Number.NaN;
    return value >= low && value <= high;
  };
}

function withText(table: RowTable, text: string, matches: Matches | null): Test | null {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return null;
  const { ids } = table;
  return (place) => {
    const id = ids[place] ?? "";
    return String(id).toLowerCase().includes(wanted) || isAmong(table, place, matches?.get(id));
  };
}

function isAmong(
  table: RowTable,
  place: number,
  found: readonly { system: string; dataset: string; trial: number }[] = [],
) {
  if (found.length === 0) return false;
  const { system, dataset, trial } = table.keyAt(place);
  return found.some((key) => key.system === system && key.dataset === dataset && key.trial === trial);
}
