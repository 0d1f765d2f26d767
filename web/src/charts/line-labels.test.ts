import fc from "fast-check";
import { expect, test } from "vitest";
import { fitLineLabels, placeLineLabels, spreadApart } from "./line-labels.js";
import { estimateTextWidth } from "./names.js";

const AREA = { left: 50, right: 600, top: 26, bottom: 326 };

test("moves places apart, as many up as down", () => {
  expect(spreadApart([100, 100, 200], { gap: 10, from: 0, to: 300 })).toEqual([95, 105, 200]);
});

test("names never overlap, and stay beside the area", () => {
  const ys = fc.array(fc.double({ min: AREA.top, max: AREA.bottom, noNaN: true }), { maxLength: 20 });
  fc.assert(
    fc.property(ys, (all) => {
      const labels = placeLineLabels(
        all.map((y, index) => ({ name: `s${index}`, text: `s${index}`, x: 590, y })),
        AREA,
      );
      for (const [index, { labelY }] of labels.entries()) {
        expect(labelY).toBeGreaterThanOrEqual(AREA.top);
        expect(labelY).toBeLessThanOrEqual(AREA.bottom);
        const next = labels[index + 1];
        if (next !== undefined) expect(next.labelY - labelY).toBeGreaterThanOrEqual(15 - 1e-9);
      }
    }),
  );
});

test("a leader leads to a name that was moved, and from a line that ends early", () => {
  const end = { name: "a", text: "a", x: 590, y: 100 };
  const hasLeader = (...ends: (typeof end)[]) => placeLineLabels(ends, AREA).map(({ leader }) => leader !== null);
  expect(hasLeader(end)).toEqual([false]);
  expect(hasLeader(end, { ...end, name: "b" })).toEqual([true, true]);
  expect(hasLeader({ ...end, x: 200 })).toEqual([true]);
});

test("names leave most of a narrow chart to its lines", () => {
  const [text = ""] = fitLineLabels(["a-model-with-a-very-long-name-indeed"], 300);
  expect(text).toMatch(/…$/);
  expect(estimateTextWidth(text)).toBeLessThan(100);
});
