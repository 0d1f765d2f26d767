import type { Estimate, Metric, Summary } from "../core/index.js";

type EstimateRecord = Readonly<Record<string, Estimate>>;

interface SummaryEntry {
  value: number | null;
  reason?: string;
  /** The metric that produced it. */
  giver: Metric;
}

/**
 * Collects the values of one summary. If two metrics produce the same key, the first wins, so that a key's meaning does
 * not depend on what else was requested.
 */
export class SummaryTable {
  // A map, because an object would lose the key "__proto__".
  readonly #entries = new Map<string, SummaryEntry>();

  /** Adds the estimates of a metric. If one key of an estimate is taken, the whole estimate is skipped, with a note. */
  add(giver: Metric, estimates: EstimateRecord): string[] {
    const notes: string[] = [];
    for (const [key, estimate] of Object.entries(estimates)) {
      const entries = toSummaryEntries(key, estimate, giver);
      const taken = entries.find(([name]) => this.#entries.has(name))?.[0];
      if (taken === undefined) for (const [name, entry] of entries) this.#entries.set(name, entry);
      else notes.push(`metric ${giver.name} also produces ${taken}${describeTakenKey(taken, key)}; the first is kept`);
    }
    return notes;
  }

  /** Like `add`, but replaces what the same metric produced before. */
  replace(giver: Metric, estimates: EstimateRecord): string[] {
    for (const key of Object.keys(estimates)) {
      if (this.#entries.get(key)?.giver !== giver) continue;
      for (const name of [key, ...listIntervalKeys(key), formatGroupsKey(key)]) {
        if (this.#entries.get(name)?.giver === giver) this.#entries.delete(name);
      }
    }
    return this.add(giver, estimates);
  }

  toSummary(): Summary {
    return Object.fromEntries(Array.from(this.#entries, ([key, { value }]) => [key, value]));
  }

  toReasons(): Record<string, string> {
    const entries = Array.from(this.#entries, ([key, { reason }]) => [key, reason] as const);
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
  }
}

/** The keys of an interval. */
export function listIntervalKeys(key: string): [low: string, high: string, n: string] {
  return [`${key}_ci_low`, `${key}_ci_high`, `${key}_n`];
}

/** The further key of an interval over groups, which is known only from the rows. */
export function formatGroupsKey(key: string): string {
  return `${key}_groups`;
}

function describeTakenKey(taken: string, key: string): string {
  return taken === key ? "" : ` next to its ${key}`;
}

function toSummaryEntries(key: string, { value, reason, interval }: Estimate, giver: Metric): [string, SummaryEntry][] {
  const own: [string, SummaryEntry] = [key, toSummaryEntry(value, reason, giver)];
  if (interval === undefined) return [own];
  const [low, high, n] = listIntervalKeys(key);
  const { groups } = interval;
  const counted: [string, SummaryEntry][] =
    groups === undefined ? [] : [[formatGroupsKey(key), toSummaryEntry(groups, undefined, giver)]];
  return [
    own,
    [low, toSummaryEntry(interval.low, interval.reason, giver)],
    [high, toSummaryEntry(interval.high, interval.reason, giver)],
    [n, toSummaryEntry(interval.n, undefined, giver)],
    ...counted,
  ];
}

function toSummaryEntry(value: number | null, reason: string | undefined, giver: Metric): SummaryEntry {
  if (value === null) return { value, reason: reason ?? "not measured", giver };
  if (typeof value !== "number" || Number.isNaN(value)) return { value: null, reason: "not a number", giver };
  return Number.isFinite(value) ? { value, giver } : { value, reason: reason ?? "no passes", giver };
}
