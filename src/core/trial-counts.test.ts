import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ERROR_CATEGORIES, makeRow, OUTCOMES } from "./row.js";
import { countTrials, createTrialCounts } from "./trial-counts.js";

const row = (known: object) => makeRow({ system: "a", exampleId: 1, outcome: "pass", ...known });

describe("countTrials", () => {
  it("counts by system in any row order", () => {
    const counts = countTrials([
      row({ costUsd: 0.25 }),
      row({ system: "b", outcome: "error", errorCategory: "rate_limit" }),
      row({ outcome: "fail", errorCategory: "logic_error", costUsd: 0.5 }),
      row({ system: "b", outcome: "error", errorCategory: "rate_limit" }),
      row({ outcome: "skipped", errorCategory: "skipped" }),
    ]);
    expect(counts).toEqual({
      a: {
        trials: 3,
        outcomes: { pass: 1, fail: 1, error: 0, unscored: 0, skipped: 1 },
        categories: { logic_error: 1, skipped: 1 },
        costUsd: 0.75,
      },
      b: {
        trials: 2,
        outcomes: { pass: 0, fail: 0, error: 2, unscored: 0, skipped: 0 },
        categories: { rate_limit: 2 },
        costUsd: null,
      },
    });
  });

  it("distinguishes free from unknown cost", () => {
    expect(countTrials([row({ costUsd: 0 })]).a?.costUsd).toBe(0);
    expect(countTrials([row({})]).a?.costUsd).toBeNull();
  });

  it("keeps any system name", () => {
    expect(countTrials([row({ system: "" }), row({ system: "constructor" })])).toMatchObject({
      "": { trials: 1 },
      constructor: { trials: 1 },
    });
    expect(countTrials([])).toEqual({});
    expect(createTrialCounts().trials).toBe(0);
  });

  it("adds up to the number of rows", () => {
    const rows = fc.array(
      fc.record({
        system: fc.constantFrom("a", "b", "c"),
        outcome: fc.constantFrom(...OUTCOMES),
        errorCategory: fc.constantFrom(...ERROR_CATEGORIES),
      }),
    );
    fc.assert(
      fc.property(rows, (known) => {
        const counts = Object.entries(countTrials(known.map(row)));
        for (const [system, { trials, outcomes, categories }] of counts) {
          const own = known.filter((one) => one.system === system);
          expect(trials).toBe(own.length);
          for (const outcome of OUTCOMES)
            expect(outcomes[outcome]).toBe(own.filter((one) => one.outcome === outcome).length);
          const named = Object.values(categories).reduce((sum, count) => sum + count, 0);
          expect(named).toBe(own.filter((one) => one.errorCategory !== "none").length);
        }
        expect(counts.length).toBe(new Set(known.map(({ system }) => system)).size);
      }),
    );
  });
});
