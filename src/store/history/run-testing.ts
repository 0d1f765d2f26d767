import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeConfig, makeManifest } from "../../testing/make-run.js";
import type { Manifest } from "../manifest.js";

/** The contents of a test run folder; defaults are an ordinary run of one system. */
export interface TestRun {
  readonly manifest?: Partial<Omit<Manifest, "schema">> & { schema?: string };
  /** Lines as strings, or objects to write as JSON. */
  readonly rows?: readonly unknown[];
  readonly outputs?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly summary?: unknown;
}

/** Writes a run folder for tests. */
export function writeTestRun(dir: string, { manifest, rows = [], outputs = [], examples, summary }: TestRun): string {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "manifest.json"), JSON.stringify({ ...MANIFEST, ...manifest }));
  writeFileSync(join(dir, "rows.jsonl"), formatJsonLines(rows));
  writeFileSync(join(dir, "outputs.jsonl"), formatJsonLines(outputs));
  if (examples !== undefined) writeFileSync(join(dir, "examples.jsonl"), formatJsonLines(examples));
  if (summary !== undefined) writeFileSync(join(dir, "summary.json"), JSON.stringify(summary));
  return dir;
}

function formatJsonLines(lines: readonly unknown[]): string {
  return lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
}

const MANIFEST = makeManifest({
  runId: "test",
  createdAt: "2026-11-16T10:00:00.000Z",
  config: makeConfig({
    title: "test",
    systems: ["one"],
    datasets: [{ name: "d", examples: 2, fingerprint: "f", tags: ["d"], primaryField: "em", evaluators: {} }],
    evaluators: ["exact"],
    metrics: ["pass_rate"],
    scoreField: "em",
  }),
  systems: { one: { fingerprint: "f", model: "m" } },
  invocation: { command: "run" },
});

/** A line of rows.jsonl for tests. */
export function createTestRow(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { ...ROW, ...fields };
}

const ROW = {
  system: "one",
  dataset: "d",
  exampleId: 1,
  trial: 0,
  outcome: "pass",
  errorCategory: "none",
  scores: { em: 1 },
  primaryField: "em",
  passed: true,
  inputTokens: 1,
  outputTokens: 1,
};
