import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/row.js";
import { ExampleIndex } from "./examples.js";
import { sortRowsByPlan } from "./row-order.js";

const SYSTEMS = ["one", "two", "constructor"];
const IDS = [3, "3", "a", 10, "__proto__", 2];

const row = (system: string, exampleId: string | number, trial = 0, more: Partial<EvalRow> = {}): EvalRow =>
  makeRow({ system, exampleId, dataset: "d", trial, outcome: "pass", ...more });

const rows = fc.array(
  fc
    .record({
      system: fc.constantFrom(...SYSTEMS, "unplanned"),
      exampleId: fc.constantFrom(...IDS, "unknown"),
      dataset: fc.constantFrom("d", "e"),
      trial: fc.nat(2),
      inputTokens: fc.nat(),
    })
    .map((known) => makeRow({ ...known, outcome: "pass" })),
  { maxLength: 60 },
);

function placesOf(dataset: string, ids: readonly (string | number)[]): ExampleIndex {
  const places = new ExampleIndex();
  for (const exampleId of ids) places.getOrAdd({ dataset, exampleId });
  return places;
}

const trialOf = ({ system, dataset, exampleId, trial }: EvalRow) => JSON.stringify([system, dataset, exampleId, trial]);

describe("sortRowsByPlan", () => {
  it("returns the last row of each trial, by system, example and trial", () => {
    fc.assert(
      fc.property(rows, (written) => {
        const last = new Map(written.map((each) => [trialOf(each), each]));
        const ordered = sortRowsByPlan(written, { systems: SYSTEMS, examples: placesOf("d", IDS) });
        expect(new Set(ordered)).toEqual(new Set(last.values()));
        expect(ordered).toHaveLength(last.size);
        const planned = ordered.filter(
          ({ system, dataset, exampleId }) => system !== "unplanned" && dataset === "d" && exampleId !== "unknown",
        );
        const place = ({ system, exampleId, trial }: EvalRow) =>
          (SYSTEMS.indexOf(system) * IDS.length + IDS.indexOf(exampleId)) * 3 + trial;
        expect(planned.map(place)).toEqual(planned.map(place).toSorted((a, b) => a - b));
      }),
    );
  });

  it("is independent of the order in which trials finished", () => {
    const planned = rows.map((made) => [...new Map(made.map((each) => [trialOf(each), each])).values()]);
    const known = planned.map((made) => made.filter(({ system }) => system !== "unplanned"));
    fc.assert(
      fc.property(
        known.chain((made) => fc.tuple(fc.constant(made), fc.shuffledSubarray(made, { minLength: made.length }))),
        ([made, shuffled]) => {
          const ids = [...IDS, "unknown"];
          const order = () => ({ systems: SYSTEMS, examples: bothDatasets(ids) });
          expect(sortRowsByPlan(shuffled, order())).toEqual(sortRowsByPlan(made, order()));
        },
      ),
    );
  });

  it("puts rows that are not in the plan last", () => {
    const written = [row("unplanned", 1), row("one", "unknown"), row("two", 1), row("one", 1)];
    const ordered = sortRowsByPlan(written, { systems: SYSTEMS, examples: placesOf("d", [1]) });
    expect(ordered).toEqual([written[3], written[1], written[2], written[0]]);
  });

  it("sorts by example name if the order was not stored: 2 before 10", () => {
    const written = [row("one", "q10"), row("one", "q2"), row("one", 1), row("one", "01"), row("one", "q2", 1)];
    const ids = sortRowsByPlan(written, { systems: SYSTEMS, examples: null }).map(({ exampleId }) => exampleId);
    expect(ids).toEqual(["01", 1, "q2", "q2", "q10"]);
  });

  it("returns an empty list for no rows", () => {
    expect(sortRowsByPlan([], { systems: SYSTEMS, examples: null })).toEqual([]);
  });
});

function bothDatasets(ids: readonly (string | number)[]): ExampleIndex {
  const places = placesOf("d", ids);
  for (const exampleId of ids) places.getOrAdd({ dataset: "e", exampleId });
  return places;
}
