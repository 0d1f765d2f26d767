import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ERROR_CATEGORIES, type EvalRow, makeRow, OUTCOMES, ROW_FIELDS } from "../core/row.js";
import { decodeRow, encodeRow } from "./row-codec.js";

const amount = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0));
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom('"', "\\", "\n", "\u2028", "a b-c:d"),
);
const rows: fc.Arbitrary<EvalRow> = fc.record({
  system: text,
  exampleId: fc.oneof(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 })),
  dataset: text,
  trial: fc.nat(),
  outcome: fc.constantFrom(...OUTCOMES),
  errorCategory: fc.constantFrom(...ERROR_CATEGORIES),
  scores: fc.dictionary(
    text.filter((key) => key !== "__proto__"),
    fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0),
  ),
  measures: fc.dictionary(
    text.filter((key) => key !== "__proto__"),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  ),
  primaryField: fc.option(text),
  passed: fc.option(fc.boolean()),
  inputTokens: fc.nat(),
  outputTokens: fc.nat(),
  usage: fc.option(fc.record({ input: fc.nat(), output: fc.nat(), cacheRead: fc.nat() })),
  costUsd: amount,
  costSource: fc.constantFrom("provider", "priced", "estimated", "unknown"),
  overshootUsd: amount,
  judgeCostUsd: amount,
  partial: fc.boolean(),
  cached: fc.boolean(),
  latency: amount,
  durationMs: amount,
  ttftMs: amount,
  firstAttemptMs: amount,
  successAtMs: amount,
  turns: amount,
  tokensPerSec: amount,
  costKilledAt: fc.nat(),
  attempts: fc.array(
    fc.record({ errorCategory: fc.constantFrom(...ERROR_CATEGORIES), message: text, durationMs: fc.nat() }),
  ),
  notes: fc.array(text),
  metadata: fc.option(fc.dictionary(fc.constantFrom("a", "b"), text)),
  facets: fc.option(fc.dictionary(fc.constantFrom("subject", "depth"), fc.oneof(text, fc.nat(), fc.boolean()))),
  group: fc.option(fc.oneof(text, fc.nat())),
});

describe("encodeRow and decodeRow", () => {
  it("round-trip any row as one line", () => {
    fc.assert(
      fc.property(rows, (row) => {
        const line = encodeRow(row);
        expect(line).not.toContain("\n");
        expect(decodeRow(line)).toEqual(makeRow(row));
      }),
      { numRuns: 500 },
    );
  });

  it("omit default values", () => {
    const row = makeRow({ system: "s", exampleId: 1, outcome: "pass", scores: { f1: 1 }, primaryField: "f1" });
    expect(encodeRow(row)).toBe(
      '{"system":"s","dataset":"","exampleId":1,"trial":0,"outcome":"pass","errorCategory":"none","scores":{"f1":1},"primaryField":"f1","inputTokens":0,"outputTokens":0}',
    );
  });

  it("lose no field, even if it is the only one set", () => {
    const known: Partial<EvalRow> = {
      dataset: "d",
      trial: 1,
      errorCategory: "logic_error",
      scores: { f1: 0 },
      primaryField: "f1",
      passed: false,
      inputTokens: 1,
      outputTokens: 1,
      latency: 0,
      durationMs: 0,
      measures: { characters: 412 },
      usage: { input: 1, output: 2 },
      costUsd: 0,
      costSource: "provider",
      overshootUsd: 0,
      judgeCostUsd: 0,
      partial: true,
      cached: true,
      ttftMs: 0,
      firstAttemptMs: 0,
      successAtMs: 0,
      turns: 0,
      tokensPerSec: 0,
      costKilledAt: 0.5,
      attempts: [{ errorCategory: "timeout", message: "late", durationMs: 1 }],
      notes: ["n"],
      metadata: {},
      facets: { subject: "anatomy", depth: 0.5, isHard: false },
      group: 0,
    };
    const optional = ROW_FIELDS.filter((field) => !["system", "exampleId", "outcome"].includes(field));
    expect(Object.keys(known).sort()).toEqual([...optional].sort());
    for (const field of optional) {
      const row = makeRow({ system: "s", exampleId: 1, outcome: "pass", [field]: known[field] });
      expect(decodeRow(encodeRow(row))[field], field).toEqual(known[field]);
    }
  });

  it("read lines of older versions, which had fewer fields", () => {
    const row = decodeRow('{"system":"s","exampleId":"x","outcome":"fail"}');
    expect(row).toEqual(makeRow({ system: "s", exampleId: "x", outcome: "fail" }));
    expect(row.group).toBeNull();
  });

  it.each(["", "{", "null", "42", "[]", "{}", '{"system":"s","exampleId":1,"outcome":"won"}'])("reject %s", (line) => {
    expect(() => decodeRow(line)).toThrow();
  });
});
