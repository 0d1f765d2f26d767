import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/row.js";
import { meanInterval } from "../stats/index.js";
import { Measures } from "./measures.js";

function row(exampleId: number, known: Partial<EvalRow>): EvalRow {
  return makeRow({ system: "s", exampleId, outcome: "pass", ...known });
}

describe("Measures", () => {
  it("averages each measure over the tasks that have it, with its interval", () => {
    const rows = [
      row(1, { measures: { characters: 100 } }),
      row(1, { trial: 1, measures: { characters: 300 } }),
      row(2, { measures: { characters: -50, lines: 3 } }),
      row(3, { outcome: "error" }),
    ];
    const { low, high } = meanInterval([200, -50]);
    expect(new Measures().estimate(rows)).toEqual({
      "measure:characters": { value: 75, interval: { low, high, n: 2 } },
      "measure:lines": { value: 3, interval: { low: null, high: null, n: 1, reason: "fewer than two tasks" } },
    });
    expect(new Measures().compute(rows)).toEqual({ "measure:characters": 75, "measure:lines": 3 });
  });

  it("counts values within [0, 1] as the same measure", () => {
    const rows = [row(1, { scores: { ratio: 0.5 } }), row(2, { measures: { ratio: 2.5 } })];
    expect(new Measures().compute(rows)).toEqual({ "measure:ratio": 1.5 });
  });

  it("returns nothing if nothing was measured", () => {
    expect(new Measures().compute([row(1, { scores: { em: 1 } })])).toEqual({});
  });
});
