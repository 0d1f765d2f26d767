import type { Usage } from "../../core/system.js";
import { type Fields, fieldsOf } from "../../models/dialects/fields.js";
import { RawUsage } from "../../models/dialects/raw-usage.js";

const NAMES = [
  "input_tokens",
  "cached_input_tokens",
  "cache_write_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
] as const;

type Totals = Readonly<Record<(typeof NAMES)[number], number>>;

/** Follows the running total of a session, which each turn ends with. */
export class CodexUsage {
  #last: Totals | null = null;
  /** Of sessions before: a total that is smaller than the last is that of a new one. */
  #before: Totals | null = null;

  /** Takes in the usage of a turn that is completed. */
  add(usage: unknown): void {
    const fields = fieldsOf(usage);
    if (fields === null) return;
    const total = totalsOf(fields);
    const last = this.#last;
    if (last !== null && NAMES.some((name) => total[name] < last[name])) this.#before = sum(this.#before, last);
    this.#last = total;
  }

  /** Null while nothing was told. */
  get usage(): Usage | null {
    return this.#last === null ? null : disjoint(sum(this.#before, this.#last));
  }
}

function totalsOf(fields: Fields): Totals {
  const raw = new RawUsage(fields);
  return totalsBy((name) => raw.count(name) ?? 0);
}

function sum(a: Totals | null, b: Totals): Totals {
  return totalsBy((name) => (a?.[name] ?? 0) + b[name]);
}

function totalsBy(count: (name: (typeof NAMES)[number]) => number): Totals {
  return {
    input_tokens: count("input_tokens"),
    cached_input_tokens: count("cached_input_tokens"),
    cache_write_input_tokens: count("cache_write_input_tokens"),
    output_tokens: count("output_tokens"),
    reasoning_output_tokens: count("reasoning_output_tokens"),
  };
}

/** What is cached is a part of the input, as reasoning is of the output. */
function disjoint(totals: Totals): Usage {
  const cacheRead = totals.cached_input_tokens;
  const cacheWrite = totals.cache_write_input_tokens;
  const reasoning = Math.min(totals.reasoning_output_tokens, totals.output_tokens);
  return {
    input: Math.max(0, totals.input_tokens - cacheRead - cacheWrite),
    output: totals.output_tokens,
    ...(cacheRead > 0 ? { cacheRead } : {}),
    ...(cacheWrite > 0 ? { cacheWrite } : {}),
    ...(reasoning > 0 ? { reasoning } : {}),
  };
}
