import { findOutputProblem } from "../core/output-problem.js";
import { describe } from "../core/shape.js";
import type { Output, Usage } from "../core/system.js";
import type { Trajectory } from "../core/trajectory.js";

/** A recorded output. Fields it does not name are kept as the output's metadata. */
export interface ReplayRecord {
  id: string | number;
  response?: string | null;
  context?: string | null;
  /** The trial it belongs to, counted from 0; without it the record answers every trial. */
  trial?: number | null;
  usage?: Usage | null;
  cost_usd?: number | null;
  /** Seconds. */
  latency?: number | null;
  /** The texts of the options in the order that they were shown in; without it, and without `choice_order`, the file's order. */
  choices?: readonly string[] | null;
  /** The same as positions in the dataset's file, from 0. */
  choice_order?: readonly number[] | null;
  [key: string]: unknown;
}

/** A record ready to be replayed. */
export interface Replayable {
  id: string;
  trial: number | null;
  output: Output;
  /** The options in the order that they were shown in; null when the record does not say. */
  choices: readonly string[] | null;
}

/** Reads a record, or says what is wrong with it. */
export function readRecord(record: Readonly<Record<string, unknown>>): Replayable | { problem: string } {
  const problem = problemWith(record);
  if (problem !== null) return { problem };
  const {
    id,
    trial,
    response,
    context,
    usage,
    cost_usd,
    costUsd = cost_usd,
    latency,
    choices,
    choice_order,
    ...others
  } = record;
  const output: Output = sorted(others);
  // A recorded null is an empty response, which is a result; a missing one is a compressor's output.
  if (response !== undefined) output.response = (response ?? "") as string;
  if (isPresent(context)) output.context = context as string;
  if (isPresent(usage)) output.usage = readUsage(usage as Record<string, number>);
  if (isPresent(costUsd)) output.costUsd = costUsd as number;
  if (isPresent(latency)) output.latency = latency as number;
  if (isPresent(choice_order)) output.choice_order = choice_order as number[];
  return {
    id: String(id),
    trial: isPresent(trial) ? (trial as number) : null,
    output,
    choices: isPresent(choices) ? (choices as string[]) : null,
  };
}

const KEPT = new Set("stopped ttftMs firstAttemptMs successAtMs turns tokensPerSec partial tool_calls".split(" "));

/** Measurements and the calls of tools stay on the output; anything else is metadata, so that a recorded model name is not counted as text. */
function sorted({ metadata, trajectory, ...others }: Readonly<Record<string, unknown>>): Output {
  const entries = Object.entries(others);
  const output: Output = Object.fromEntries(entries.filter(([field]) => KEPT.has(field)));
  const rest = entries.filter(([field]) => !KEPT.has(field));
  if (isPresent(trajectory)) output.trajectory = trajectory as Trajectory;
  if (rest.length > 0 || isPresent(metadata))
    output.metadata = { ...(metadata as object), ...Object.fromEntries(rest) };
  return output;
}

function problemWith(record: Readonly<Record<string, unknown>>): string | null {
  const { id, trial, usage } = record;
  if ((typeof id !== "string" && typeof id !== "number") || id === "") return 'has no "id" (a text or a number)';
  const outputProblem = findOutputProblem(record);
  if (outputProblem !== null) return outputProblem;
  if (isPresent(trial) && !(Number.isInteger(trial) && (trial as number) >= 0)) {
    return `has ${describe(trial)} as its "trial"; trials are whole numbers from 0`;
  }
  const { choices, choice_order } = record;
  if (isPresent(choices) && !isListOf(choices, (item) => typeof item === "string"))
    return `has ${describe(choices)} as its "choices", which are the texts of the options as they were shown`;
  if (isPresent(choice_order) && !isListOf(choice_order, Number.isInteger))
    return `has ${describe(choice_order)} as its "choice_order", which is a list of positions from 0`;
  for (const field of ["cost_usd", "costUsd", "latency"]) {
    if (isPresent(record[field]) && !isAmount(record[field])) return `has ${describe(record[field])} as its "${field}"`;
  }
  return isPresent(usage) && !isUsage(usage)
    ? 'has a "usage" that is not { "input": n, "output": n } with optional cacheRead, cacheWrite and reasoning'
    : null;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** The names in a usage and how files write them, which is in either case. */
const USAGE_FIELDS = { cacheRead: "cache_read", cacheWrite: "cache_write", reasoning: "reasoning" } as const;

function isUsage(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Record<string, unknown>;
  const optional = Object.entries(USAGE_FIELDS).flat();
  return (
    isAmount(fields.input) &&
    isAmount(fields.output) &&
    optional.every((field) => !isPresent(fields[field]) || isAmount(fields[field]))
  );
}

function readUsage(fields: Readonly<Record<string, number>>): Usage {
  const usage: Usage = { input: fields.input ?? 0, output: fields.output ?? 0 };
  for (const name of ["cacheRead", "cacheWrite", "reasoning"] as const) {
    const value = fields[name] ?? fields[USAGE_FIELDS[name]];
    if (isPresent(value) && value !== undefined) usage[name] = value;
  }
  return usage;
}
