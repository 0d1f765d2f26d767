import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ERROR_CATEGORIES, type EvalRow, makeRow, type NamedRowField, OUTCOMES, ROW_FIELD_LIST } from "../core/row.js";
import { decodeRow, encodeRow } from "./row-codec.js";

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom('"', "\\", "\n", "\u2028", "a b-c:d"),
);
const figureName = text.filter((key) => key !== "__proto__");

/** Any value of a field, by the type of its column. */
const VALUES_BY_TYPE: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  VARCHAR: text,
  "VARCHAR[]": fc.array(text),
  BIGINT: fc.nat(),
  BOOLEAN: fc.boolean(),
  // Adding 0 turns -0, which JSON cannot hold, into 0.
  DOUBLE: fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0),
};

/** Fields that take fewer values than their column, or have a structure. */
const VALUES_BY_FIELD: Partial<Readonly<Record<keyof EvalRow, fc.Arbitrary<unknown>>>> = {
  exampleId: fc.oneof(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 })),
  outcome: fc.constantFrom(...OUTCOMES),
  errorCategory: fc.constantFrom(...ERROR_CATEGORIES),
  scores: fc.dictionary(
    figureName,
    fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0),
  ),
  measures: fc.dictionary(
    figureName,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  ),
  usage: fc.record({ input: fc.nat(), output: fc.nat(), cacheRead: fc.nat() }),
  costSource: fc.constantFrom("provider", "priced", "estimated", "unknown"),
  attempts: fc.array(
    fc.record({ errorCategory: fc.constantFrom(...ERROR_CATEGORIES), message: text, durationMs: fc.nat() }),
  ),
  faults: fc.array(
    fc.record({ kind: fc.constantFrom("429", "cut"), request: fc.nat(), recoveryMs: fc.option(fc.nat()) }),
  ),
  metadata: fc.dictionary(fc.constantFrom("a", "b"), text),
  facets: fc.dictionary(fc.constantFrom("subject", "depth"), fc.oneof(text, fc.nat(), fc.boolean())),
  group: fc.oneof(text, fc.nat()),
};

function makeValues({ name, sqlType, neutral }: NamedRowField): fc.Arbitrary<unknown> {
  const values = VALUES_BY_FIELD[name] ?? VALUES_BY_TYPE[sqlType];
  if (values === undefined) throw new Error(`No values for ${name}: add some to VALUES_BY_FIELD.`);
  return neutral === null ? fc.option(values) : values;
}

const rows = fc.record(
  Object.fromEntries(ROW_FIELD_LIST.map((field) => [field.name, makeValues(field)])),
) as unknown as fc.Arbitrary<EvalRow>;

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

  it.each(ROW_FIELD_LIST)("lose no $name, even if it is the only one set", (field) => {
    fc.assert(
      fc.property(makeValues(field), (value) => {
        const row = makeRow({ system: "s", exampleId: 1, outcome: "pass", [field.name]: value });
        expect(decodeRow(encodeRow(row))[field.name]).toEqual(value ?? field.neutral);
      }),
    );
  });

  it("keep values that look empty but say something", () => {
    const known = {
      passed: false,
      costUsd: 0,
      judgeCostUsd: 0,
      ttftMs: 0,
      turns: 0,
      metadata: {},
      facets: {},
      group: 0,
    };
    const row = makeRow({ system: "s", exampleId: 1, outcome: "pass", ...known });
    expect(decodeRow(encodeRow(row))).toMatchObject(known);
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
