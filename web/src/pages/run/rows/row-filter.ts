import type { TrialKey } from "../../../../../src/core/row.js";
import type { Query } from "../../../shell/route.js";
import { joinWords, splitWords } from "./word-list.js";

/** Which rows are wanted: those that have all of these. An empty list and null want anything. */
export interface RowFilter {
  readonly outcomes: readonly string[];
  readonly systems: readonly string[];
  readonly datasets: readonly string[];
  readonly categories: readonly string[];
  /** A row must have every one of them. */
  readonly tags: readonly string[];
  /** The score that `min` and `max` are about; the primary one when empty. */
  readonly field: string;
  readonly min: number | null;
  readonly max: number | null;
  /** Seconds. */
  readonly latencyFrom: number | null;
  readonly latencyTo: number | null;
  /** In the id of the example, the question or the answer. */
  readonly text: string;
}

/** Trials whose texts contain what is looked for, by the id of their example. */
export type Matches = ReadonlyMap<string | number, readonly TrialKey[]>;

/** The words of an address that a filter is made of. */
const FILTER_WORDS = [
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
] as const;

/**
 * Reads a filter out of an address.
 * @example
 * filterOf({ outcome: "fail,error", min: "0.5" });
 */
export function filterOf(query: Query): RowFilter {
  return {
    outcomes: splitWords(query.outcome),
    systems: splitWords(query.system),
    datasets: splitWords(query.dataset),
    categories: splitWords(query.category),
    tags: splitWords(query.tag),
    field: query.field ?? "",
    min: numberIn(query.min),
    max: numberIn(query.max),
    latencyFrom: numberIn(query.latencyFrom),
    latencyTo: numberIn(query.latencyTo),
    text: query.text ?? "",
  };
}

/** The words of an address for a filter; `filterOf` reads them. */
export function filterWords(filter: Partial<RowFilter>): Query {
  return {
    outcome: joinWords(filter.outcomes ?? []),
    system: joinWords(filter.systems ?? []),
    dataset: joinWords(filter.datasets ?? []),
    category: joinWords(filter.categories ?? []),
    tag: joinWords(filter.tags ?? []),
    field: filter.field,
    min: filter.min?.toString(),
    max: filter.max?.toString(),
    latencyFrom: filter.latencyFrom?.toString(),
    latencyTo: filter.latencyTo?.toString(),
    text: filter.text,
  };
}

/** Whether an address asks for some of the rows. */
export function hasFilter(query: Query): boolean {
  return FILTER_WORDS.some((word) => Boolean(query[word]));
}

/** What takes every filter out of an address. */
export function noFilter(): Query {
  return Object.fromEntries(FILTER_WORDS.map((word) => [word, undefined]));
}

/** Found trials, ready to be looked up. */
export function matchesOf(keys: readonly TrialKey[]): Matches {
  const matches = new Map<string | number, TrialKey[]>();
  for (const key of keys) {
    const others = matches.get(key.exampleId);
    if (others === undefined) matches.set(key.exampleId, [key]);
    else others.push(key);
  }
  return matches;
}

function numberIn(word: string | undefined): number | null {
  if (word === undefined || word.trim() === "") return null;
  const value = Number(word);
  return Number.isFinite(value) ? value : null;
}
