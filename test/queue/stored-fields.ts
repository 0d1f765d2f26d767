import { readFileSync } from "node:fs";
import { join } from "node:path";

export function readJsonLines(dir: string, file: string): Record<string, unknown>[] {
  const text = readFileSync(join(dir, file), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function formatTrialKey({ system, exampleId, trial }: Record<string, unknown>): string {
  return JSON.stringify([system, exampleId, trial]);
}

/** How often each trial is recorded. */
export function countTrials(rows: readonly Record<string, unknown>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(formatTrialKey(row), (counts.get(formatTrialKey(row)) ?? 0) + 1);
  return counts;
}

/** A report's summary without times. */
export function dropReportTimes(report: { summary: unknown }): unknown {
  return dropTimes(report.summary);
}

function dropTimes(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const isTime = (key: string) => /latency|duration|ttft|tokens_per_sec|time_to|seconds_per_pass|speed/.test(key);
  const kept = Object.entries(value).filter(([key]) => !isTime(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, dropTimes(item)]));
}
