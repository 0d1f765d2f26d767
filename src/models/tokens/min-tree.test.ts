import fc from "fast-check";
import { expect, it } from "vitest";
import { MinTree } from "./tokenizer.js";

const value = fc.integer({ min: 0, max: 9 });

it("tracks the minimum and its leftmost position after every change", () => {
  const changes = fc.array(fc.record({ place: fc.nat(), value }), { maxLength: 30 });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 40 }), changes, (values, steps) => {
      const tree = new MinTree(values.length, 10);
      values.forEach((each, place) => {
        tree.fill(place, each);
      });
      tree.build();
      for (const step of steps) {
        const place = step.place % values.length;
        values[place] = step.value;
        tree.set(place, step.value);
        const lowest = Math.min(...values);
        expect([tree.lowest(), tree.leftmostLowest()]).toEqual([lowest, values.indexOf(lowest)]);
      }
    }),
    { seed: 1 },
  );
});
