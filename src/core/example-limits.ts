import type { Dataset, DatasetOverrides } from "./dataset.js";
import { DURATION_FORMAT_HINT, parseDuration } from "./duration.js";
import type { Example } from "./example.js";
import { describeValue } from "./shape.js";
import { didYouMean } from "./suggest.js";

/** What one example overrides: its trials, and the time and the dollars of each. */
export type ExampleOverrides = Omit<DatasetOverrides, "systems">;

/** The overrides of one example, as they are stored with a run. */
export type StoredExampleLimits = ExampleOverrides & { readonly id: string | number };

/** The overrides of single examples, as they are stored with a run. */
export interface StoredLimits {
  /** The trials of examples without their own number. */
  readonly trials: number;
  readonly examples: readonly StoredExampleLimits[];
}

const LIMIT_KEYS = ["trials", "timeout", "max_cost_usd"] as const;

/**
 * Why the `limits` of an example cannot be used; null if they can. A column of that name that holds no mapping is data.
 * @example
 * findLimitsProblem({ limits: { trials: 0 } }); // "has limits.trials that is the number 0, not a whole number of at least 1"
 */
export function findLimitsProblem({ limits }: { readonly limits?: unknown }): string | null {
  if (!isMapping(limits)) return null;
  const unknown = Object.keys(limits).find((key) => !(LIMIT_KEYS as readonly string[]).includes(key));
  if (unknown !== undefined)
    return `has limits with the unknown key "${unknown}".${didYouMean(unknown, LIMIT_KEYS).replace(/\.$/, "")}`;
  const { trials, timeout, max_cost_usd: dollars } = limits;
  if (trials !== undefined && !(Number.isInteger(trials) && Number(trials) >= 1))
    return `has limits.trials that is ${describeValue(trials)}, not a whole number of at least 1`;
  if (timeout !== undefined && (typeof timeout !== "string" || parseDuration(timeout) === null))
    return `has limits.timeout that is ${describeValue(timeout)}: it ${DURATION_FORMAT_HINT}`;
  if (dollars !== undefined && !(typeof dollars === "number" && dollars >= 0 && dollars < Infinity))
    return `has limits.max_cost_usd that is ${describeValue(dollars)}, not an amount in dollars of at least 0`;
  return null;
}

/**
 * The `limits` of an example, which must have no problem; null if it has none.
 * @example
 * readExampleLimits({ id: 1, question: "…", limits: { trials: 5, timeout: "10m" } }); // { trials: 5, hardTimeoutMs: 600000 }
 */
function readExampleLimits({ limits }: Example): ExampleOverrides | null {
  if (!isMapping(limits)) return null;
  const {
    trials,
    timeout,
    max_cost_usd: maxCostUsd,
  } = limits as {
    readonly trials?: number;
    readonly timeout?: string;
    readonly max_cost_usd?: number;
  };
  const hardTimeoutMs = timeout === undefined ? null : parseDuration(timeout);
  const own = {
    ...(trials !== undefined && { trials }),
    ...(maxCostUsd !== undefined && { maxCostUsd }),
    ...(hardTimeoutMs !== null && { hardTimeoutMs }),
  };
  return Object.keys(own).length === 0 ? null : own;
}

/** The overrides of an example: those in the example itself win over those of its dataset's list. */
export function findExampleOverrides(example: Example, { limits }: Pick<Dataset, "limits">): ExampleOverrides | null {
  const listed = limits?.get(example.id) ?? null;
  const own = readExampleLimits(example);
  return listed === null ? own : { ...listed, ...own };
}

/** The trials of an example in a run: its own, otherwise those of its dataset, otherwise those of the run. */
export function countExampleTrials(
  example: Example,
  { limits, terms }: Pick<Dataset, "limits" | "terms">,
  trials: number,
): number {
  return findExampleOverrides(example, { ...(limits !== undefined && { limits }) })?.trials ?? terms?.trials ?? trials;
}

/** Counts the trials of the examples of a stored dataset. */
export function createStoredTrialCounter(
  { terms, limits }: { readonly terms?: DatasetOverrides; readonly limits?: StoredLimits },
  trials: number,
): (id: string | number) => number {
  const usual = limits?.trials ?? terms?.trials ?? trials;
  const own = new Map(limits?.examples.map((each) => [each.id, each.trials]));
  return (id) => own.get(id) ?? usual;
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
