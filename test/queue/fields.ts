import { readFileSync } from "node:fs";
import { join } from "node:path";

export function linesOf(dir: string, file: string): Record<string, unknown>[] {
  const text = readFileSync(join(dir, file), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function keyOf({ system, exampleId, trial }: Record<string, unknown>): string {
  return JSON.stringify([system, exampleId, trial]);
}

/** How often each trial is recorded. */
export function countsOf(rows: readonly Record<string, unknown>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return counts;
}

/** A report's summary without times. */
export function timeless(report: { summary: unknown }): unknown {
  return withoutTimes(report.summary);
}

function withoutTimes(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const isTime = (key: string) => /latency|duration|ttft|tokens_per_sec|time_to|seconds_per_pass|speed/.test(key);
  const kept = Object.entries(value).filter(([key]) => !isTime(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutTimes(item)]));
}
