import type { EvalRow, Facets, FacetValue, MetricContext, MetricRun } from "../core/index.js";
import { ScoreBreakdown } from "./score-breakdown.js";

type FacetedRow = Pick<EvalRow, "dataset" | "facets">;

/** Rows of a dataset that share the value of one facet, or of two. */
export interface FacetGroup<R> {
  /** The summary key: `facet:subject=anatomy`, `cell:depth=0.5,length=1000`. */
  readonly key: string;
  readonly dataset: string;
  readonly facets: Facets;
  readonly rows: R[];
}

interface FacetGroups<R> {
  readonly groups: readonly FacetGroup<R>[];
  /** Describes what was omitted. */
  readonly notes: readonly string[];
}

/** Keeps breakdowns readable; the largest public one has 57 values. */
const MAX_FACET_VALUES = 60;

/** The two facets whose combinations are reported too: position in a text, and its length. */
export const CELL_FACETS = ["depth", "length"] as const;

/**
 * Groups rows by facet, per dataset. With several datasets, their names are part of the keys, because two datasets may
 * both have a `subject` with different meanings.
 */
export function groupByFacet<R extends FacetedRow>(rows: readonly R[], datasets?: readonly string[]): FacetGroups<R> {
  const sorted = new Map<string, DatasetFacetGroups<R>>();
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as R;
    if (row.facets == null) continue;
    let own = sorted.get(row.dataset);
    if (own === undefined) {
      own = new DatasetFacetGroups();
      sorted.set(row.dataset, own);
    }
    own.add(row, row.facets);
  }
  if (sorted.size === 0) return { groups: [], notes: [] };
  const isMixture = new Set(datasets ?? rows.map(({ dataset }) => dataset)).size > 1 || sorted.size > 1;
  const all = Array.from(sorted, ([tag, own]) => own.toGroups(tag, isMixture));
  return { groups: all.flatMap(({ groups }) => groups), notes: all.flatMap(({ notes }) => notes) };
}

interface FacetBucket<R> {
  readonly facets: Facets;
  readonly rows: R[];
}

/** The values of one facet, or of two combined, by their text. */
type FacetBuckets<R> = Map<string, FacetBucket<R>>;

class DatasetFacetGroups<R> {
  readonly #byField = new Map<string, FacetBuckets<R>>();
  readonly #cells: FacetBuckets<R> = new Map();

  add(row: R, facets: Facets): void {
    for (const field in facets) {
      const value = facets[field];
      if (value !== undefined) this.#getFieldRows(field, String(value), () => ({ [field]: value })).push(row);
    }
    const [down, across] = CELL_FACETS;
    const [depth, length] = [facets[down], facets[across]];
    if (depth === undefined || length === undefined) return;
    getBucketRows(this.#cells, `${depth},${length}`, () => ({ [down]: depth, [across]: length })).push(row);
  }

  /** Called for every row, so facets are built only for a new value. */
  #getFieldRows(field: string, text: string, facets: () => Facets): R[] {
    let buckets = this.#byField.get(field);
    if (buckets === undefined) {
      buckets = new Map();
      this.#byField.set(field, buckets);
    }
    return getBucketRows(buckets, text, facets);
  }

  toGroups(tag: string, isMixture: boolean): FacetGroups<R> {
    const dataset = tag || "unknown";
    const prefix = isMixture ? `${dataset}:` : "";
    const kept = new Set<string>();
    const groups: FacetGroup<R>[] = [];
    const notes: string[] = [];
    for (const [field, buckets] of this.#byField) {
      for (const { facets, rows } of selectLargestBuckets(buckets)) {
        kept.add(formatFacets(facets));
        groups.push({ key: `facet:${prefix}${formatFacets(facets)}`, dataset: tag, facets, rows });
      }
      if (buckets.size > MAX_FACET_VALUES)
        notes.push(
          `${dataset} has ${buckets.size} values of ${field}: the summary shows the ${MAX_FACET_VALUES} with the most trials; the rows have all`,
        );
    }
    for (const { facets, rows } of sortBuckets(this.#cells)) {
      const isKept = Object.entries(facets).every(([field, value]) => kept.has(formatFacets({ [field]: value })));
      if (isKept) groups.push({ key: `cell:${prefix}${formatFacets(facets)}`, dataset: tag, facets, rows });
    }
    return { groups, notes };
  }
}

function getBucketRows<R>(buckets: FacetBuckets<R>, text: string, facets: () => Facets): R[] {
  const known = buckets.get(text);
  if (known !== undefined) return known.rows;
  const rows: R[] = [];
  buckets.set(text, { facets: facets(), rows });
  return rows;
}

function formatFacets(facets: Facets): string {
  return Object.entries(facets)
    .map(([field, value]) => `${field}=${value}`)
    .join(",");
}

/** The values with the most rows, ordered by value. All systems have the same examples, so each keeps the same values. */
function selectLargestBuckets<R>(buckets: FacetBuckets<R>): FacetBucket<R>[] {
  const ordered = sortBuckets(buckets);
  if (ordered.length <= MAX_FACET_VALUES) return ordered;
  const bySize = ordered.toSorted((a, b) => b.rows.length - a.rows.length);
  const kept = new Set(bySize.slice(0, MAX_FACET_VALUES));
  return ordered.filter((bucket) => kept.has(bucket));
}

/** Rows arrive in varying order; keys must not. */
function sortBuckets<R>(buckets: FacetBuckets<R>): FacetBucket<R>[] {
  return [...buckets.values()].sort((a, b) => compareFacets(a.facets, b.facets));
}

function compareFacets(a: Facets, b: Facets): number {
  for (const field of Object.keys(a)) {
    const order = compareFacetValues(a[field] ?? "", b[field] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

/** Numbers first, by size; everything else by its text. */
function compareFacetValues(a: FacetValue, b: FacetValue): number {
  const [x, y] = [parseFacetNumber(a), parseFacetNumber(b)];
  if (x !== null && y !== null) return x - y;
  if (x !== null || y !== null) return x === null ? 1 : -1;
  return String(a) < String(b) ? -1 : Number(String(a) > String(b));
}

function parseFacetNumber(value: FacetValue): number | null {
  if (typeof value === "boolean" || String(value).trim() === "") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/**
 * The mean of a score field per facet value, and per combination of depth and length.
 * @example
 * new FacetBreakdown().compute(rows); // { "facet:subject=anatomy": 0.7, "facet:subject=law": 0.5 }
 */
export class FacetBreakdown extends ScoreBreakdown {
  readonly name = "facet_breakdown";

  protected parts(rows: readonly EvalRow[], context?: MetricContext) {
    const { groups, notes } = groupByFacet(rows, context?.datasets);
    for (const note of notes) context?.note?.(note);
    return groups.map(({ key, rows: own }) => [key, own] as const);
  }

  keys({ facets = [], datasets }: MetricRun) {
    return groupByFacet(facets, datasets).groups.map(({ key }) => key);
  }
}
