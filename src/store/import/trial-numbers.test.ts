import fc from "fast-check";
import { expect, it } from "vitest";
import { assignTrialNumbers } from "./collect.js";

it("numbers the trials of each example from 0 without gaps, ordered by their original numbers", () => {
  const trial = fc.record({
    slot: fc.constantFrom("a", "b"),
    wanted: fc.option(fc.nat(1e9)),
  });
  fc.assert(
    fc.property(fc.array(trial, { maxLength: 20 }), (trials) => {
      const kept = trials.map(({ slot, wanted }, index) => ({
        slot,
        wanted,
        index,
        row: { system: "s", dataset: "d", exampleId: slot },
      }));
      const numbers = assignTrialNumbers(kept);
      for (const slot of ["a", "b"]) {
        const own = kept.filter((one) => one.slot === slot);
        const sorted = own.map(({ index }) => numbers.get(index) ?? -1).sort((x, y) => x - y);
        expect(sorted).toEqual(own.map((_, i) => i));
        const named = own.filter(({ wanted }) => wanted !== null);
        const inOrder = named.toSorted((x, y) => (x.wanted ?? 0) - (y.wanted ?? 0) || x.index - y.index);
        const got = inOrder.map(({ index }) => numbers.get(index) ?? -1);
        expect(got).toEqual(got.toSorted((x, y) => x - y));
      }
    }),
  );
});
