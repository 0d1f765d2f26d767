import type { JsonSummary } from "../../../../src/core/result.js";
import { formatCount, formatDollars, formatMilliseconds, formatNumber, formatSeconds } from "../../ui/index.js";

/** A figure with its interval, count and reason. */
export interface SummaryMetric {
  readonly key: string;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** The number of tasks or trials. */
  readonly n: number | null;
  /** Why the value is missing. */
  readonly reason: string | null;
}

/** Keys with these suffixes describe another key. */
const DETAIL_SUFFIX = /_(ci_low|ci_high|n|reason)$/;

/** The figures of a summary by key, each with its interval and reason. */
export function parseSummaryMetrics(summary: JsonSummary): Map<string, SummaryMetric> {
  const flat = flattenSummary(summary);
  const metrics = new Map<string, SummaryMetric>();
  for (const [key, value] of flat) {
    if (isDetailKey(key, flat) || typeof value === "string") continue;
    const n = getNumber(flat, `${key}_n`);
    metrics.set(key, {
      key,
      // The mean of no tasks is stored as 0, but was not measured.
      value: n === 0 ? null : value,
      low: getNumber(flat, `${key}_ci_low`),
      high: getNumber(flat, `${key}_ci_high`),
      n,
      reason: getText(flat, `${key}_reason`),
    });
  }
  return metrics;
}

/** What the ranks are based on: dollars, tokens, or another figure; null in runs of old versions. */
export function findRankBasis(summaries: readonly JsonSummary[]): string | null {
  const found = summaries.map((summary) => summary.pareto_basis).find((basis) => typeof basis === "string");
  return found ?? null;
}

const BASIS_TITLES: Readonly<Record<string, string>> = {
  usd: "quality and dollars per pass",
  tokens: "quality and output tokens per pass",
};

const BASIS_UNITS: Readonly<Record<string, string>> = { usd: "by $ per pass", tokens: "by tokens per pass" };

/** What the ranks are based on, for the head of a column; empty if unknown. */
export function formatRankBasis(basis: string | null): string {
  return basis === null ? "" : (BASIS_UNITS[basis] ?? `by ${basis}`);
}

/** For people: `mean_cost_usd` becomes `mean cost`. */
export function formatKeyTitle(key: string, basis: string | null = null): string {
  const curve = /^pass_(at|hat)_(\d+)$/.exec(key);
  if (curve !== null) return `pass${curve[1] === "at" ? "@" : "^"}${curve[2]}`;
  if (/^(dataset|facet):/.test(key)) return key;
  if (key === "cost_of_pass") return "output tokens per pass";
  if (key === "pareto_rank" && basis !== null) return `Pareto rank (${BASIS_TITLES[basis] ?? `quality and ${basis}`})`;
  return key.replace(/_(usd|ms)$/, "").replaceAll("_", " ");
}

export function getKeyFormatter(key: string): (value: number | null) => string {
  if (/usd|cost_per_success/.test(key)) return formatDollars;
  if (/^latency|^duration/.test(key)) return formatSeconds;
  if (key.endsWith("_ms")) return formatMilliseconds;
  if (/^num_|_trials$|_count$|^tokens_per_pass|^mean_(in|out)put_tokens/.test(key))
    return (value) => formatCount(roundOrNull(value));
  return (value) => formatNumber(value, 3);
}

function roundOrNull(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

type FlatSummary = ReadonlyMap<string, number | string | null>;

function flattenSummary(summary: JsonSummary): FlatSummary {
  const entries = Object.entries(summary).flatMap(([key, value]) =>
    value !== null && typeof value === "object" ? Object.entries(value) : [[key, value] as const],
  );
  return new Map(entries);
}

/** A key may have such a suffix by itself, such as `mean_n`. */
function isDetailKey(key: string, flat: FlatSummary): boolean {
  return DETAIL_SUFFIX.test(key) && flat.has(key.replace(/_reason$/, "").replace(/_(ci_low|ci_high|n)$/, ""));
}

function getNumber(flat: FlatSummary, key: string): number | null {
  const value = flat.get(key);
  return typeof value === "number" ? value : null;
}

function getText(flat: FlatSummary, key: string): string | null {
  const value = flat.get(key);
  return typeof value === "string" ? value : null;
}
