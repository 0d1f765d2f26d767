import { UsageError } from "./errors.js";

/** Named efforts, from no thinking to the most. */
export const EFFORT_NAMES = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

export type EffortName = (typeof EFFORT_NAMES)[number];

/** How much a model thinks before it answers: a named effort, or a number of thinking tokens. */
export type Effort = EffortName | number;

/** Far more than any model thinks. */
const MAX_EFFORT_TOKENS = 10_000_000;

/** For messages: what an effort can be. */
const EFFORT_HELP = `${EFFORT_NAMES.join(", ")}, or a number of thinking tokens`;

/**
 * Reads an effort from a flag or a file; throws a `UsageError` that names `where` it was given.
 * @example
 * parseEffort("low", "--effort"); // "low"
 * parseEffort("4096", "--effort"); // 4096
 */
export function parseEffort(value: unknown, where: string): Effort {
  const name = EFFORT_NAMES.find((each) => each === value);
  if (name !== undefined) return name;
  const tokens = typeof value === "string" && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  if (Number.isSafeInteger(tokens) && (tokens as number) > 0 && (tokens as number) <= MAX_EFFORT_TOKENS)
    return tokens as number;
  const hint = hintAtEffort(tokens);
  throw new UsageError(`${where} must be ${EFFORT_HELP}, not ${JSON.stringify(value) ?? "undefined"}.${hint}`);
}

function hintAtEffort(value: unknown): string {
  if (value === 0) return ' Write "none" for no thinking.';
  if (typeof value === "number" && value > MAX_EFFORT_TOKENS)
    return ` The number must be at most ${MAX_EFFORT_TOKENS}.`;
  if (Array.isArray(value) && value.length > 0)
    return ` Write one; --effort ${value.join(",")} of a run measures each.`;
  return "";
}

/**
 * The name of a system with one of several efforts.
 * @example
 * addEffortName("gpt-6-luna", "low"); // "gpt-6-luna@low"
 */
export function addEffortName(name: string, effort: Effort | undefined): string {
  return effort === undefined ? name : `${name}@${effort}`;
}
