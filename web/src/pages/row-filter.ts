import type { TrialKey } from "../../../src/core/row.js";
import type { TrialLabel } from "../../../src/report/dashboard/contract.js";
import type { ChartSelection } from "../charts/index.js";
import type { RouteQuery } from "../ui/index.js";

/** Rows must match all of these. An empty list and null match everything. */
export interface RowFilter {
  readonly outcomes: readonly string[];
  readonly systems: readonly string[];
  readonly datasets: readonly string[];
  readonly categories: readonly string[];
  /** A row must have all of them. */
  readonly tags: readonly string[];
  /** The score that `min` and `max` limit; the primary one when empty. */
  readonly field: string;
  readonly min: number | null;
  readonly max: number | null;
  /** Seconds. */
  readonly latencyFrom: number | null;
  readonly latencyTo: number | null;
  /** In the id of the example, the name of the system, the question or the answer. */
  readonly text: string;
  /** One of `LABEL_FILTERS`; empty for all rows. */
  readonly label: string;
}

/** What people say about a trial; a label without a verdict, such as a note alone, is none. */
export const LABEL_FILTERS = [
  { value: "right", label: "right" },
  { value: "wrong", label: "wrong" },
  { value: "differs", label: "disagrees with the score" },
  { value: "none", label: "not labeled" },
] as const;

/** By the id of the example. */
type ByExample<T extends TrialKey> = ReadonlyMap<string | number, readonly T[]>;

/** The labels of a run's trials. */
export type RowLabels = ByExample<TrialLabel>;

/** Trials whose texts match, by the id of their example. */
export type TextMatches = ByExample<TrialKey>;

const FILTER_PARAMETERS = [
  "outcome",
  "system",
  "dataset",
  "category",
  "tag",
  "field",
  "min",
  "max",
  "latencyFrom",
  "latencyTo",
  "text",
  "label",
] as const;

/**
 * Reads a filter from an address.
 * @example
 * parseRowFilter({ outcome: "fail,error", min: "0.5" });
 */
export function parseRowFilter(query: RouteQuery): RowFilter {
  return {
    outcomes: splitValues(query.outcome),
    systems: splitValues(query.system),
    datasets: splitValues(query.dataset),
    categories: splitValues(query.category),
    tags: splitValues(query.tag),
    field: query.field ?? "",
    min: parseNumber(query.min),
    max: parseNumber(query.max),
    latencyFrom: parseNumber(query.latencyFrom),
    latencyTo: parseNumber(query.latencyTo),
    text: query.text ?? "",
    label: query.label ?? "",
  };
}

/** The query of an address for a filter; `parseRowFilter` reads it. */
export function buildRowFilterQuery(filter: Partial<RowFilter>): RouteQuery {
  return {
    outcome: joinValues(filter.outcomes ?? []),
    system: joinValues(filter.systems ?? []),
    dataset: joinValues(filter.datasets ?? []),
    category: joinValues(filter.categories ?? []),
    tag: joinValues(filter.tags ?? []),
    field: filter.field,
    min: filter.min?.toString(),
    max: filter.max?.toString(),
    latencyFrom: filter.latencyFrom?.toString(),
    latencyTo: filter.latencyTo?.toString(),
    text: filter.text,
    label: filter.label,
  };
}

export function hasRowFilter(query: RouteQuery): boolean {
  return FILTER_PARAMETERS.some((word) => Boolean(query[word]));
}

/** A query that removes every filter from an address. */
export function buildClearedFilterQuery(): RouteQuery {
  return Object.fromEntries(FILTER_PARAMETERS.map((word) => [word, undefined]));
}

export function groupMatches<T extends TrialKey>(keys: readonly T[]): ByExample<T> {
  const matches = new Map<string | number, T[]>();
  for (const key of keys) {
    const others = matches.get(key.exampleId);
    if (others === undefined) matches.set(key.exampleId, [key]);
    else others.push(key);
  }
  return matches;
}

function parseNumber(word: string | undefined): number | null {
  if (word === undefined || word.trim() === "") return null;
  const value = Number(word);
  return Number.isFinite(value) ? value : null;
}

/**
 * Joins values with commas, for an address; commas inside a value are escaped.
 * @example
 * joinValues(["pass", "a,b"]); // "pass,a\\,b"
 */
export function joinValues(words: readonly string[]): string {
  return words.map((word) => word.replace(/[\\,]/g, "\\$&")).join(",");
}

/** Reverses `joinValues`; empty when the text is missing. */
export function splitValues(value: string | undefined): string[] {
  if (value === undefined || value === "") return [];
  const words: string[] = [];
  let word = "";
  for (let i = 0; i < value.length; i++) {
    if (value[i] === ",") {
      words.push(word);
      word = "";
    } else {
      if (value[i] === "\\") i++;
      word += value[i] ?? "";
    }
  }
  return [...words, word];
}

/**
 * The filter that selects the rows behind a chart selection.
 * @example
 * buildSelectionQuery({ system: "echo", facets: { depth: 0.5 } }); // { system: "echo", tag: "depth=0.5", … }
 */
export function buildSelectionQuery({ system, dataset, category, facets = {}, latency }: ChartSelection): RouteQuery {
  return buildRowFilterQuery({
    systems: toList(system),
    datasets: toList(dataset),
    categories: toList(category),
    tags: Object.entries(facets).map(([field, value]) => `${field}=${value}`),
    latencyFrom: latency?.from ?? null,
    latencyTo: latency?.to ?? null,
  });
}

function toList(name: string | undefined): string[] {
  return name === undefined ? [] : [name];
}
