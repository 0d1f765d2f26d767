import type { DisplayField } from "../../../../src/report/dashboard/contract.js";

/** Fields of an output that are measurements, which the page shows elsewhere in words. */
const MEASUREMENT_FIELDS = new Set([
  "usage",
  "costUsd",
  "latency",
  "ttftMs",
  "firstAttemptMs",
  "successAtMs",
  "turns",
  "tokensPerSec",
  "partial",
  "metadata",
]);

/** What a system produced, and what else stands in its output: figures, and fields handed on as they were given. */
export interface OutputParts {
  readonly produced: readonly DisplayField[];
  readonly others: readonly DisplayField[];
}

/** Tells what was produced from what was only handed on. */
export function splitOutput(output: readonly DisplayField[], example: readonly DisplayField[]): OutputParts {
  const given = new Map(example.map((field) => [field.name, field]));
  const isOther = ({ name, text, length }: DisplayField) => {
    const before = given.get(name);
    return MEASUREMENT_FIELDS.has(name) || (before?.text === text && before.length === length);
  };
  return { produced: output.filter((field) => !isOther(field)), others: output.filter(isOther) };
}
