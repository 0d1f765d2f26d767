import type { Usage } from "../core/system.js";

/** Throws unless every count is a whole number of at least 0, before anything is done with any of them. */
export function requireCounts(usage: Usage): void {
  requireCount("input", usage.input);
  requireCount("output", usage.output);
  const cacheWrite = usage.cacheWrite ?? 0;
  const cacheWrite1h = usage.cacheWrite1h ?? 0;
  requireCount("cacheRead", usage.cacheRead ?? 0);
  requireCount("cacheWrite", cacheWrite);
  requireCount("cacheWrite1h", cacheWrite1h);
  requireCount("reasoning", usage.reasoning ?? 0);
  if (cacheWrite1h > cacheWrite)
    throw new RangeError(`cacheWrite1h (${cacheWrite1h}) is a part of cacheWrite (${cacheWrite}) and cannot exceed it`);
}

/** The same for one count, by the name of its class. */
export function requireCount(name: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new RangeError(`${name} must be a whole number of tokens and not negative, but is ${count}`);
}
