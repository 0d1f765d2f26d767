import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { getScore, hasOutput, isScored, makeRow, OUTCOMES, ROW_FIELD_LIST, ROW_FIELDS } from "./row.js";

const about = { system: "s", exampleId: 1 } as const;

describe("makeRow", () => {
  it("sets unknown fields to a neutral value: null where 0 would be a claim", () => {
    const row = makeRow({ ...about, outcome: "skipped" });
    expect(row.costUsd).toBeNull();
    expect(row.costSource).toBe("unknown");
    expect(JSON.parse(JSON.stringify(row))).toMatchObject({
      system: "s",
      exampleId: 1,
      dataset: "",
      trial: 0,
      outcome: "skipped",
      errorCategory: "none",
      scores: {},
      measures: {},
      primaryField: null,
      passed: null,
      inputTokens: 0,
      outputTokens: 0,
      usage: null,
      costUsd: null,
      costSource: "unknown",
      overshootUsd: null,
      judgeCostUsd: null,
      partial: false,
      cached: false,
      latency: null,
      durationMs: null,
      ttftMs: null,
      firstAttemptMs: null,
      successAtMs: null,
      turns: null,
      tokensPerSec: null,
      costKilledAt: 0,
      attempts: [],
      notes: [],
      metadata: null,
      facets: null,
      group: null,
    });
  });

  it("lists every field in the order it is written", () => {
    const written = JSON.parse(JSON.stringify(makeRow({ ...about, outcome: "pass" }))) as object;
    expect(Object.keys(written)).toEqual(ROW_FIELDS);
    expect(ROW_FIELDS.toSorted()).toEqual(ROW_FIELD_LIST.map(({ name }) => name).sort());
  });

  it("creates a plain object that survives a copy", () => {
    const row = makeRow({ ...about, outcome: "pass", notes: ["n"] });
    expect({ ...row }).toEqual(row);
    expect(structuredClone(row)).toEqual(row);
  });

  it("keeps given values, including zero and false", () => {
    const row = makeRow({ ...about, outcome: "fail", passed: false, costUsd: 0, latency: 0, trial: 2 });
    expect(row).toMatchObject({ passed: false, costUsd: 0, latency: 0, trial: 2 });
  });

  it("does not share scores between rows", () => {
    expect(makeRow({ ...about, outcome: "pass" }).scores).not.toBe(makeRow({ ...about, outcome: "pass" }).scores);
  });
});

describe("the table of row fields", () => {
  it("matches the tables in the docs: run npm run docs:rows", () => {
    const script = fileURLToPath(new URL("../../scripts/row-tables.mjs", import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("has labels that fit the column of assay show", () => {
    const labels = ROW_FIELD_LIST.flatMap(({ fact }) => fact?.show ?? []);
    expect(labels).toContain("judging");
    expect(labels.filter((label) => label.length > 9)).toEqual([]);
  });
});

describe("isScored and hasOutput", () => {
  it("classify the five outcomes", () => {
    const rows = OUTCOMES.map((outcome) => makeRow({ ...about, outcome }));
    expect(rows.filter(isScored).map((row) => row.outcome)).toEqual(["pass", "fail"]);
    expect(rows.filter(hasOutput).map((row) => row.outcome)).toEqual(["pass", "fail", "unscored"]);
  });
});

describe("getScore", () => {
  it("reads a named field", () => {
    const row = makeRow({ ...about, outcome: "pass", scores: { f1: 0, recall: 1 }, primaryField: "recall" });
    expect(getScore(row, "f1")).toBe(0);
    expect(getScore(row, "em")).toBeUndefined();
  });

  it('reads "score" from the evaluator\'s own score, else from the primary field', () => {
    const scores = { f1: 0.4, score: 0.9 };
    expect(getScore(makeRow({ ...about, outcome: "pass", scores, primaryField: "f1" }), "score")).toBe(0.9);
    expect(getScore(makeRow({ ...about, outcome: "fail", scores: { f1: 0.4 }, primaryField: "f1" }), "score")).toBe(
      0.4,
    );
    expect(getScore(makeRow({ ...about, outcome: "unscored", scores: { f1: 0.4 } }), "score")).toBeUndefined();
  });
});
