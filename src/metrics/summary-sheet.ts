import type { Estimate, Metric } from "../core/metric.js";
import type { Summary } from "../core/result.js";

type Estimates = Readonly<Record<string, Estimate>>;

interface Entry {
  value: number | null;
  reason?: string;
  /** The metric that gave it. */
  giver: Metric;
}

/**
 * Collects the numbers of one summary. Where two metrics give one key the first is kept: which of them a reader looks at
 * must not depend on what else was asked for.
 */
export class SummarySheet {
  // Maps, because a key may be any text: an object would lose "__proto__".
  readonly #entries = new Map<string, Entry>();

  /** Writes down what a metric gives. An estimate stays whole: it is left out, with a note, when one of its keys is taken. */
  add(giver: Metric, estimates: Estimates): string[] {
    const notes: string[] = [];
    for (const [key, estimate] of Object.entries(estimates)) {
      const entries = entriesOf(key, estimate, giver);
      const taken = entries.find(([name]) => this.#entries.has(name))?.[0];
      if (taken === undefined) for (const [name, entry] of entries) this.#entries.set(name, entry);
      else notes.push(`metric ${giver.name} also gives ${taken}${beside(taken, key)}; the first is kept`);
    }
    return notes;
  }

  /** As `add`, but what the metric gave before makes way. */
  replace(giver: Metric, estimates: Estimates): string[] {
    for (const key of Object.keys(estimates)) {
      if (this.#entries.get(key)?.giver !== giver) continue;
      for (const name of [key, ...besides(key), groupsBeside(key)]) {
        if (this.#entries.get(name)?.giver === giver) this.#entries.delete(name);
      }
    }
    return this.add(giver, estimates);
  }

  summary(): Summary {
    return Object.fromEntries(Array.from(this.#entries, ([key, { value }]) => [key, value]));
  }

  reasons(): Record<string, string> {
    const entries = Array.from(this.#entries, ([key, { reason }]) => [key, reason] as const);
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
  }
}

/** What stands beside a key that has an interval. */
export function besides(key: string): [low: string, high: string, n: string] {
  return [`${key}_ci_low`, `${key}_ci_high`, `${key}_n`];
}

/** What stands there too where tasks share groups, which only their rows can tell. */
export function groupsBeside(key: string): string {
  return `${key}_groups`;
}

function beside(taken: string, key: string): string {
  return taken === key ? "" : ` beside its ${key}`;
}

function entriesOf(key: string, { value, reason, interval }: Estimate, giver: Metric): [string, Entry][] {
  const own: [string, Entry] = [key, entryOf(value, reason, giver)];
  if (interval === undefined) return [own];
  const [low, high, n] = besides(key);
  const { groups } = interval;
  const counted: [string, Entry][] =
    groups === undefined ? [] : [[groupsBeside(key), entryOf(groups, undefined, giver)]];
  return [
    own,
    [low, entryOf(interval.low, interval.reason, giver)],
    [high, entryOf(interval.high, interval.reason, giver)],
    [n, entryOf(interval.n, undefined, giver)],
    ...counted,
  ];
}

function entryOf(value: number | null, reason: string | undefined, giver: Metric): Entry {
  if (value === null) return { value, reason: reason ?? "not measured", giver };
  if (typeof value !== "number" || Number.isNaN(value)) return { value: null, reason: "not a number", giver };
  return Number.isFinite(value) ? { value, giver } : { value, reason: reason ?? "no passes", giver };
}
