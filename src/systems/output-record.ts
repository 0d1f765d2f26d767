import type { Output, Trajectory, Usage } from "../core/index.js";
import { describeValue, findOutputProblem } from "../core/index.js";

/** A recorded output. Other fields become metadata of the output. */
export interface ReplayRecord {
  id: string | number;
  response?: string | null;
  context?: string | null;
  /** The trial it belongs to, from 0; without it the record answers every trial. */
  trial?: number | null;
  usage?: Usage | null;
  cost_usd?: number | null;
  /** Seconds. */
  latency?: number | null;
  /** The texts of the options in the order shown. Default: `choice_order`, otherwise the file's order. */
  choices?: readonly string[] | null;
  /** The order of the options as positions in the dataset's file, from 0. */
  choice_order?: readonly number[] | null;
  [key: string]: unknown;
}

export interface ReplayableRecord {
  id: string;
  trial: number | null;
  output: Output;
  /** The options in the order shown; null if not recorded. */
  choices: readonly string[] | null;
}

/** Parses a record, or returns what is wrong with it. */
export function readRecord(record: Readonly<Record<string, unknown>>): ReplayableRecord | { problem: string } {
  const problem = findRecordProblem(record);
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
  const output: Output = toRecordedOutput(others);
  // A recorded null is an empty response, which is a result; a missing one is a compressor's output.
  if (response !== undefined) output.response = (response ?? "") as string;
  if (isPresent(context)) output.context = context as string;
  if (isPresent(usage)) output.usage = readRecordedUsage(usage as Record<string, number>);
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

const OUTPUT_FIELDS = new Set(
  "stopped ttftMs firstAttemptMs successAtMs turns tokensPerSec partial tool_calls".split(" "),
);

/** Measurements and tool calls stay on the output; other fields become metadata, so that for example a recorded model name is not counted as text. */
function toRecordedOutput({ metadata, trajectory, ...others }: Readonly<Record<string, unknown>>): Output {
  const entries = Object.entries(others);
  const output: Output = Object.fromEntries(entries.filter(([field]) => OUTPUT_FIELDS.has(field)));
  const rest = entries.filter(([field]) => !OUTPUT_FIELDS.has(field));
  if (isPresent(trajectory)) output.trajectory = trajectory as Trajectory;
  if (rest.length > 0 || isPresent(metadata))
    output.metadata = { ...(metadata as object), ...Object.fromEntries(rest) };
  return output;
}

function findRecordProblem(record: Readonly<Record<string, unknown>>): string | null {
  const { id, trial, usage } = record;
  if ((typeof id !== "string" && typeof id !== "number") || id === "") return 'has no "id" (a string or a number)';
  const outputProblem = findOutputProblem(record);
  if (outputProblem !== null) return outputProblem;
  if (isPresent(trial) && !(Number.isInteger(trial) && (trial as number) >= 0)) {
    return `has ${describeValue(trial)} as its "trial"; trials are whole numbers from 0`;
  }
  const { choices, choice_order } = record;
  if (isPresent(choices) && !isListWhere(choices, (item) => typeof item === "string"))
    return `has ${describeValue(choices)} as its "choices"; they must be the texts of the options as shown`;
  if (isPresent(choice_order) && !isListWhere(choice_order, Number.isInteger))
    return `has ${describeValue(choice_order)} as its "choice_order"; it must be a list of positions from 0`;
  for (const field of ["cost_usd", "costUsd", "latency"]) {
    if (isPresent(record[field]) && !isAmount(record[field]))
      return `has ${describeValue(record[field])} as its "${field}"`;
  }
  return isPresent(usage) && !isRecordedUsage(usage)
    ? 'has a "usage" that is not { "input": n, "output": n } with optional cacheRead, cacheWrite and reasoning'
    : null;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isListWhere(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** The usage fields and their spelling in files, where both occur. */
const USAGE_FIELDS = { cacheRead: "cache_read", cacheWrite: "cache_write", reasoning: "reasoning" } as const;

function isRecordedUsage(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Record<string, unknown>;
  const optional = Object.entries(USAGE_FIELDS).flat();
  return (
    isAmount(fields.input) &&
    isAmount(fields.output) &&
    optional.every((field) => !isPresent(fields[field]) || isAmount(fields[field]))
  );
}

function readRecordedUsage(fields: Readonly<Record<string, number>>): Usage {
  const usage: Usage = { input: fields.input ?? 0, output: fields.output ?? 0 };
  for (const name of ["cacheRead", "cacheWrite", "reasoning"] as const) {
    const value = fields[name] ?? fields[USAGE_FIELDS[name]];
    if (isPresent(value) && value !== undefined) usage[name] = value;
  }
  return usage;
}
