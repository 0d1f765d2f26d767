import type { RunTerms } from "../core/dataset.js";
import { UsageError } from "../core/errors.js";
import { describe } from "../core/shape.js";
import { didYouMean } from "../core/suggest.js";

const KEYS = ["systems", "trials", "maxCostUsd", "hardTimeoutMs"] as const satisfies readonly (keyof RunTerms)[];

/** Throws unless terms can be kept in a run of these systems. */
export function checkTerms(terms: RunTerms, whose: string, systems: readonly string[]): void {
  const unknown = Object.keys(terms).find((key) => !(KEYS as readonly string[]).includes(key));
  if (unknown !== undefined)
    throw new UsageError(`The terms of ${whose} have an unknown key "${unknown}".${didYouMean(unknown, KEYS)}`);
  const { trials, maxCostUsd, hardTimeoutMs } = terms;
  if (trials !== undefined && !(Number.isInteger(trials) && trials >= 1))
    throw new UsageError(`The trials of ${whose} must be a whole number of at least 1, but are ${describe(trials)}.`);
  if (maxCostUsd !== undefined && !isAmount(maxCostUsd))
    throw new UsageError(`maxCostUsd of ${whose} must be dollars from 0 up, but is ${describe(maxCostUsd)}.`);
  if (hardTimeoutMs !== undefined && !(isAmount(hardTimeoutMs) && hardTimeoutMs > 0))
    throw new UsageError(`hardTimeoutMs of ${whose} must be milliseconds above 0, but is ${describe(hardTimeoutMs)}.`);
  checkNames(terms.systems, whose, systems);
}

function checkNames(asked: readonly string[] | undefined, whose: string, systems: readonly string[]): void {
  const stranger = asked?.find((name) => !systems.includes(name));
  if (stranger !== undefined)
    throw new UsageError(
      `${whose} is for a system "${stranger}" that the run has not.${didYouMean(stranger, systems)}`,
    );
  if (asked?.length === 0)
    throw new UsageError(`${whose} is for no system at all, so that nothing of it would be run.`);
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
}
